/* test_hyperelastic.c -- the hyperelastic laws: energies and stresses against known ones, and identities. Their
 * derivatives: test_hyperelastic_derivatives.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/kernels/material/hyperelastic_samples.h"

/* ---- values -------------------------------------------------------------------------------------------------- */

/* Computed with 60 digits, the stress by differences of the energy; those with (1e5, 1.5e5) in 3D are published too. */
typedef struct {
    double k[5], psi, P[9];
} known;
#if PIO_DIM == 3
static const double known_F[9] = {1.10, 0.20, -0.05, 0.05, 0.90, 0.10, 0.02, -0.08, 1.15};
static const known knowns[LAW_NUMBERS] = {
    {{1e5, 1.5e5}, 9.1275e+3, {4.25e+4, 2.5e+4, -3.0e+3, 2.5e+4, 2.5e+3, 2.0e+3, -3.0e+3, 2.0e+3, 5.25e+4}},
    {{1e5, 1.5e5},
     1.10317839375e+4,
     {6.217675e+4, 3.22265e+4, -6.401125e+3, 2.6016625e+4, 1.556325e+4, 5.16725e+3, -4.17995e+3, -2.1302e+3,
      7.3437875e+4}},
    {{1e5, 1.5e5},
     8.87166748349834e+3,
     {4.21607656314303e+4, 2.37420355224835e+4, -3.88436593081633e+3, 1.98160829145993e+4, 7.41420826462928e+3,
      3.86198400520135e+3, -2.54882810469334e+3, -8.20774508118831e+2, 5.11060506564481e+4}},
    {{1e5, 1.5e5},
     8.59074417442165e+3,
     {3.59899698311638e+4, 2.39382134941231e+4, -3.43890636268994e+3, 2.10366891832761e+4, 1.66157052975393e+2,
      3.47179024397609e+3, -2.61232211023428e+3, -1.71348092098987e+1, 4.54603743380062e+4}},
    {{1e5, 2.2e5},
     8.21156526189875e+3,
     {3.50478682650831e+4, 2.18633075308133e+4, -3.1987684045548e+3, 1.88706987900833e+4, 2.5996883972697e+3,
      3.36425996029765e+3, -2.27195428199541e+3, -2.33189855346759e+2, 4.36180644227424e+4}},
    {{1e5, 1.5e5},
     9.00351881256689e+3,
     {4.24801206199245e+4, 2.43839426884711e+4, -3.65780108878445e+3, 2.05127077554511e+4, 6.71231959812002e+3,
      4.05336217756889e+3, -2.35641889781956e+3, -5.98916075388446e+2, 5.19148050420422e+4}},
    {{3e4, 2e4, 2.2e5},
     8.57902140552656e+3,
     {3.54112742433137e+4, 2.39649684111525e+4, -2.95242743755603e+3, 2.12061716832777e+4, -4.98676079484251e+2,
      3.66522194522459e+3, -2.18218006063109e+3, 2.92616008478312e+2, 4.52477735243365e+4}},
    {{8e4, 1.3, -2e4, -5, 2.2e5},
     9.43503344828324e+3,
     {3.64141886914694e+4, 2.91364836141919e+4, -2.7618186423359e+3, 2.68936043894215e+4, -8.02738536824953e+3,
      4.20249863202285e+3, -2.36093214703078e+3, 1.35967766685341e+3, 4.90727305125814e+4}},
    {{1e5, 1.5e5},
     8.40332602418108e+3,
     {3.13351984201211e+4, 2.41389378766216e+4, -2.7565648928932e+3, 2.20523219412221e+4, -5.36713355030471e+3,
      3.3595980921437e+3, -2.32457446392946e+3, 7.81020073497221e+2, 4.14726558586305e+4}},
    [PIO_VOLUME_QUADRATIC |
        PIO_HYPER_NEO_HOOKEAN] = {{1e5, 1.5e5},
                                  8.76314352917382e+3,
                                  {3.97721527481755e+4, 2.37369563973886e+4, -3.51868395058472e+3, 2.0217155780357e+4,
                                   4.7569946109206e+3, 3.80540561153609e+3, -2.37661560054515e+3, -4.25088383671854e+2,
                                   4.90141032533193e+4}},
    [PIO_VOLUME_QUADRATIC |
        PIO_HYPER_NEO_HOOKEAN_ISO] = {{1e5, 2.2e5},
                                      8.29765975480755e+3,
                                      {3.694957274209e+4, 2.17621142436859e+4, -3.23888105891161e+3,
                                       1.84586324316906e+4, 4.90798932525704e+3, 3.53200378760794e+3,
                                       -2.15343962139575e+3, -4.38311383307719e+2, 4.54049008440912e+4}},
    [PIO_VOLUME_QUADRATIC |
        PIO_HYPER_MOONEY_RIVLIN] = {{3e4, 2e4, 2.2e5},
                                    8.66511589843535e+3,
                                    {3.73129787203207e+4, 2.38637751240251e+4, -2.99254009191284e+3, 2.0794105324885e+4,
                                     1.80962484850309e+3, 3.83296577253489e+3, -2.06366540003143e+3,
                                     8.74944805173519e+1, 4.70346099456853e+4}},
    [PIO_VOLUME_QUADRATIC | PIO_HYPER_OGDEN] = {{8e4, 1.3, -2e4, -5, 2.2e5},
                                                9.52112794119204e+3,
                                                {3.83158931684763e+4, 2.90352903270645e+4, -2.80193129669271e+3,
                                                 2.64815380310288e+4, -5.71908444026219e+3, 4.37024245933315e+3,
                                                 -2.24241748643112e+3, 1.15455613889245e+3, 5.08595669339302e+4}},
};
#else
static const double known_F[4] = {1.10, 0.20, 0.05, 0.90};
static const known knowns[LAW_NUMBERS] = {
    {{1e5, 1.5e5}, 5.125e+3, {2.0e+4, 2.5e+4, 2.5e+4, -2.0e+4}},
    {{1e5, 1.5e5}, 5.2758984375e+3, {3.383125e+4, 2.70875e+4, 2.5146875e+4, -7.95625e+3}},
    {{1e5, 1.5e5},
     5.15657759736842e+3,
     {1.78601380223087e+4, 2.51920103516732e+4, 2.55579896483268e+4, -2.27398619776913e+4}},
    {{1e5, 1.5e5},
     5.17588193547375e+3,
     {1.53802392980968e+4, 2.5256653372328e+4, 2.60266134893118e+4, -2.5646374191215e+4}},
    {{1e5, 2.2e5},
     5.24560848918787e+3,
     {1.24699350113909e+4, 2.57723926432592e+4, 2.70726020746236e+4, -2.98060607629153e+4}},
    {{1e5, 1.5e5},
     5.17972089760232e+3,
     {1.63641025641026e+4, 2.53358974358974e+4, 2.59589743589744e+4, -2.46717948717949e+4}},
    {{3e4, 2e4, 2.2e5},
     5.27377032964965e+3,
     {1.12749289542266e+4, 2.59823244870658e+4, 2.75000261842082e+4, -3.15109515827925e+4}},
    {{8e4, 1.3, -2e4, -5, 2.2e5},
     5.5270936619689e+3,
     {1.04472159237631e+4, 2.78802058598696e+4, 2.97722721520185e+4, -3.56747664857474e+4}},
    {{1e5, 1.5e5},
     5.23565462227872e+3,
     {1.07006318252316e+4, 2.55945569383698e+4, 2.71543995541353e+4, -3.14985333687725e+4}},
    [PIO_VOLUME_QUADRATIC | PIO_HYPER_NEO_HOOKEAN] = {{1e5, 1.5e5},
                                                      5.17527073175194e+3,
                                                      {1.54632653061224e+4, 2.52520408163265e+4, 2.60081632653061e+4,
                                                       -2.55448979591837e+4}},
    [PIO_VOLUME_QUADRATIC | PIO_HYPER_NEO_HOOKEAN_ISO] = {{1e5, 2.2e5},
                                                          5.24531068426073e+3,
                                                          {1.25103431746562e+4, 2.57701477453001e+4,
                                                           2.70636224827868e+4, -2.97566730078133e+4}},
    [PIO_VOLUME_QUADRATIC | PIO_HYPER_MOONEY_RIVLIN] = {{3e4, 2e4, 2.2e5},
                                                        5.27347252472251e+3,
                                                        {1.13153371174919e+4, 2.59800795891066e+4, 2.74910465923715e+4,
                                                         -3.14615638276905e+4}},
    [PIO_VOLUME_QUADRATIC |
        PIO_HYPER_OGDEN] = {{8e4, 1.3, -2e4, -5, 2.2e5},
                            5.52679585704176e+3,
                            {1.04876240870284e+4, 2.78779609619105e+4, 2.97632925601817e+4, -3.56253787306454e+4}},
};
#endif

static void energy_and_stress_are_the_known_ones(void **state)
{
    const double bound = sizeof(real) == 8 ? 1e-12 : 1e-5;
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        const hyper_constants c = constants_of(knowns[law].k);
        const mat F = argument_of(law, matrix_of(known_F)), P = law_P(law, F, c);
        double worst = 0, largest = 0;
        for (int i = 0; i < HYPER_NUMBERS; i++) {
            worst = worse(worst, fabs((double)P.m[i / DIM][i % DIM] - knowns[law].P[i]));
            largest = worse(largest, fabs(knowns[law].P[i]));
        }
        report(law_names[law], "psi", fabs((double)law_psi(law, F, c) / knowns[law].psi - 1), bound);
        report(law_names[law], "P", worst / largest, bound);
    }
    all_must_hold();
}

static void a_turned_body_stores_the_same_energy(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        double energy = 0, isotropy = 0, stress = 0, symmetry = 0;
        seed = 1;
        for (int i = 0; i < SAMPLES; i++) {
            double k[PIO_LAW_CONSTANTS];
            sample_constants(law, k);
            const hyper_constants c = constants_of(k);
            const mat F = sample_state(i % 2 ? MODERATE : ALL_NEAR), Q = random_rotation();
            const mat turned = argument_of(law, mat_mul(Q, F)), P = law_P(law, argument_of(law, F), c);
            const mat tau = mat_mul_t(P, F);
            const double scale = norm(P) + stiffness(law, k);
            const real psi = law_psi(law, argument_of(law, F), c);
            energy = worse(energy, fabs((double)(law_psi(law, turned, c) - psi)) / scale);
            isotropy = worse(isotropy, fabs((double)(law_psi(law, argument_of(law, mat_mul(F, Q)), c) - psi)) / scale);
            stress = worse(stress, distance(law_P(law, turned, c), mat_mul(Q, P)) / scale);
            symmetry = worse(symmetry, distance(tau, mat_transpose(tau)) / scale);
        }
        if (law == PIO_HYPER_LINEAR) {
            printf("negative control, linear: psi(Q F) - psi(F) %.1e, P(Q F) - Q P(F) %.1e\n", energy, stress);
            assert_true(energy > 0.01 && stress > 0.01);
            continue;
        }
        report(law_names[law], "psi(Q F) - psi(F)", energy, 60 * EPS);
        report(law_names[law], "psi(F Q) - psi(F)", isotropy, 60 * EPS);
        report(law_names[law], "P(Q F) - Q P(F)", stress, 60 * EPS);
        report(law_names[law], "P F^T - F P^T", symmetry, 60 * EPS);
    }
    all_must_hold();
}

static void at_rest_there_is_no_stress_and_small_strain_has_mu_and_lambda(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        double energy = 0, stress = 0, moduli = 0;
        seed = 2;
        for (int i = 0; i < SAMPLES; i++) {
            double k[PIO_LAW_CONSTANTS], mu, lambda;
            sample_constants(law, k);
            small_strain(law, k, &mu, &lambda);
            const hyper_constants c = constants_of(k);
            const mat one = mat_diag(R(1)), Q = law == PIO_HYPER_LINEAR ? one : random_rotation(),
                      dF = random_matrix(1);
            const mat eps = mat_axpby(R(0.5), dF, R(0.5), mat_transpose(dF));
            const mat expected = mat_axpby((real)(2 * mu), eps, (real)lambda * mat_trace(eps), one);
            const double scale = stiffness(law, k);
            energy = worse(energy, fabs((double)law_psi(law, argument_of(law, Q), c)) / scale);
            stress = worse(stress, norm(law_P(law, argument_of(law, Q), c)) / scale);
            moduli = worse(moduli, distance(law_dP(law, argument_of(law, one), dF, c), expected) / scale);
        }
        report(law_names[law], "psi(Q)", energy, 40 * EPS);
        report(law_names[law], "P(Q)", stress, 40 * EPS);
        report(law_names[law], "dP(I; dF) - 2 mu eps - lambda tr(eps) I", moduli, 40 * EPS);
    }
    all_must_hold();
}

/* U = kappa/2 (J - 1)^2 where the rest of a law has no stress or a known one: a body stretched alike along all axes by
 * a has J = a^DIM, in plane strain too, and of the split laws
 *     3D:  P = kappa (a^3 - 1) a^2 I,   psi = kappa/2 (a^3 - 1)^2
 * where the standard energy has P = kappa/2 (a^6 - 1)/a I; of the neo-Hookean law P = mu (a - 1/a) I more, in 2D too. A
 * bar that is stretched by a along one axis alone has, of the neo-Hookean law, P = mu (a - 1/a) + lambda (a - 1) along
 * it, lambda (a - 1) a across. The stress is exact to rounding where J is far from 1: it is not the difference of two
 * energies. */
static void known_states_have_the_quadratic_energy(void **state)
{
    static const int split[3] = {PIO_HYPER_NEO_HOOKEAN_ISO, PIO_HYPER_MOONEY_RIVLIN, PIO_HYPER_OGDEN};
    double ball = 0, energy = 0, neo = 0, along = 0, across = 0, standard = 0;
    (void)state;
    for (double a = 0.125; a <= 4; a += 0.1875) { /* past 1, where the energies meet */
        const double J = DIM == 3 ? a * a * a : a * a, mu = 3e4, lambda = 2.2e5, third = J / a;
        const double pair[5] = {mu, lambda, 0, 0, 0}, both[3] = {a, a, a}, one[3] = {a, 1, 1};
        for (int n = 0; n < 3 && DIM == 3; n++) {
            double k[5];
            sample_constants(split[n], k);
            const double kappa = k[hyper_count(split[n]) - 1], want = kappa * (J - 1) * third;
            const int law = split[n] | PIO_VOLUME_QUADRATIC;
            const mat P = law_P(law, diagonal(both), constants_of(k));
            const double other = (double)law_P(split[n], diagonal(both), constants_of(k)).m[0][0];
            const double size = fabs(want) + kappa * EPS + stiffness(law, k) * (1 + 1 / a);
            ball = worse(ball, fabs((double)P.m[0][0] - want) / size);
            energy = worse(energy,
                           fabs((double)law_psi(law, diagonal(both), constants_of(k)) / kappa - (J - 1) * (J - 1) / 2) /
                               (1 + (J - 1) * (J - 1)));
            standard = fmax(standard, fabs(other - want) / size);
        }
        const int law = PIO_HYPER_NEO_HOOKEAN | PIO_VOLUME_QUADRATIC;
        const double P = (double)law_P(law, diagonal(both), constants_of(pair)).m[1][1];
        const double want = mu * (a - 1 / a) + lambda * (J - 1) * third, size = mu * (a + 1 / a) + lambda * third * J;
        neo = worse(neo, fabs(P - want) / size);
        const mat bar = law_P(law, diagonal(one), constants_of(pair));
        along = worse(along, fabs((double)bar.m[0][0] - mu * (a - 1 / a) - lambda * (a - 1)) / (size / third));
        across = worse(across, fabs((double)bar.m[1][1] - lambda * (a - 1) * a) / size);
    }
    if (DIM == 3) {
        report("laws in two parts", "P of a ball - kappa (J - 1) a^2", ball, 20 * EPS);
        report("laws in two parts", "psi of a ball - kappa/2 (J - 1)^2", energy, 40 * EPS);
        printf("negative control, the standard energies: %.1e\n", standard);
        assert_true(standard > 0.1);
    }
    report("neo-Hookean, quad.", "P of a ball", neo, 20 * EPS);
    report("neo-Hookean, quad.", "P along a bar", along, 20 * EPS);
    report("neo-Hookean, quad.", "P across a bar", across, 20 * EPS);
    all_must_hold();
}

static void sinhc_is_good_to_four_units_in_the_last_place(void **state)
{
    double worst = 0;
    (void)state;
    seed = 3;
    for (int i = 0; i < 100000; i++) {
        const real x = (real)(i % 2 ? uniform(-5, 5) : uniform(-1, 1) * pow(10, uniform(-20, 0)));
        const long double exact = sinhl((long double)x) / (long double)x;
        worst = worse(worst, (double)fabsl((long double)sinhc(x) / exact - 1) / EPS);
    }
    report("", "sinhc, in units of eps", worst, 4);
    all_must_hold();
}

/* F = Q diag(s) W^T with s between 1/condition and 1, the last two `gap` apart. */
static void check_svd(const char *what, double condition, double gap)
{
    double orthogonal = 0, product = 0, handed = 0, stretch = 0;
    seed = 4;
    for (int i = 0; i < SAMPLES; i++) {
        double s[3] = {1, 1 / condition, (1 + gap) / condition}, got[3], want[3];
        if (DIM == 2) s[0] = s[2];
        const mat Q = random_rotation(), W_ = random_rotation(), F = mat_mul(Q, mat_mul_t(diagonal(s), W_));
        const mat_svd d = svd_of(F);
        mat sigma = mat_diag(R(0));
        for (int a = 0; a < DIM; a++) sigma.m[a][a] = d.sigma.x[a];
        orthogonal = worse(orthogonal, distance(mat_mul_t(d.U, d.U), mat_diag(R(1))));
        orthogonal = worse(orthogonal, distance(mat_mul_t(d.V, d.V), mat_diag(R(1))));
        handed = worse(handed, fabs((double)mat_det(d.V, mat_cofactor(d.V)) - 1));
        handed = worse(handed, fabs((double)mat_det(d.U, mat_cofactor(d.U)) - 1));
        product = worse(product, distance(mat_mul(d.U, mat_mul_t(sigma, d.V)), F) / norm(F));
        for (int a = 0; a < DIM; a++) got[a] = (double)d.sigma.x[a], want[a] = s[a];
        for (int pass = 0; pass < DIM; pass++) /* in order */
            for (int a = 0; a + 1 < DIM; a++) {
                const double g = got[a], w = want[a];
                if (g < got[a + 1]) got[a] = got[a + 1], got[a + 1] = g;
                if (w < want[a + 1]) want[a] = want[a + 1], want[a + 1] = w;
            }
        for (int a = 0; a < DIM; a++) stretch = worse(stretch, fabs(got[a] - want[a]) / want[0]);
    }
    printf("%s\n", what);
    report("", "  U^T U - I, V^T V - I", orthogonal, 20 * EPS);
    report("", "  det U - 1, det V - 1", handed, 20 * EPS);
    report("", "  U diag(sigma) V^T - F", product, 20 * EPS);
    report("", "  sigma - those that F was made of", stretch, 20 * EPS);
}

static void the_singular_values_are_those_that_F_was_made_of(void **state)
{
    (void)state;
    check_svd("condition number 2", 2, 0.3);
    check_svd("condition number 100, two equal", 100, 0);
    check_svd("condition number 100, two nearly equal", 100, 1e-7);
    check_svd("all equal", 1, 0);
    check_svd("all but equal", 1, 1e-12);
    check_svd("far from equal", sizeof(real) == 4 ? 1e3 : 1e6, 1);
    all_must_hold();
}

static int all_finite(mat a)
{
    int yes = 1;
    for (int i = 0; i < HYPER_NUMBERS; i++) yes &= is_finite(a.m[i / DIM][i % DIM]);
    return yes;
}

static void only_states_with_an_energy_are_admitted(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        const int always = law == PIO_HYPER_LINEAR || law == PIO_HYPER_ST_VENANT || law == PIO_HYPER_STABLE_NEO_HOOKEAN;
        const hyper_constants c = constants_of(knowns[law].k);
        mat F = mat_diag(R(1));
        assert_int_equal(hyper_admits(law, F), 1);
        F.m[0][0] = R(-1);
        assert_int_equal(hyper_admits(law, F), always);
        F.m[0][0] = R(0);
        assert_int_equal(hyper_admits(law, F), always);
        assert_true(!always || (is_finite(law_psi(law, F, c)) && all_finite(law_P(law, F, c))));
        F.m[0][0] = (real)NAN;
        assert_int_equal(hyper_admits(law, F), 0);
        F.m[0][0] = (real)INFINITY;
        assert_int_equal(hyper_admits(law, F), 0);
        seed = 5;
        for (int i = 0; i < SAMPLES; i++) {
            double s[3];
            for (int a = 0; a < 3; a++) s[a] = pow(10, uniform(-2, 2));
            F = mat_mul(random_rotation(), diagonal(s));
            assert_int_equal(hyper_admits(law, F), 1);
            assert_true(is_finite(law_psi(law, F, c)) && all_finite(law_P(law, F, c)) &&
                        all_finite(law_dP(law, F, random_matrix(1), c)));
        }
    }
}

static void the_tangent_is_symmetric_and_equals_its_plain_twin(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_NUMBERS; law = next_law(law)) {
        double difference = 0, asymmetry = 0;
        seed = 6;
        for (int i = 0; i < SAMPLES; i++) {
            double k[PIO_LAW_CONSTANTS], largest = 0, d = 0, s = 0;
            real A[HYPER_NUMBERS][HYPER_NUMBERS], plain[HYPER_NUMBERS][HYPER_NUMBERS];
            sample_constants(law, k);
            const hyper_constants c = constants_of(k);
            const mat F = sample_state(i % STATES);
            hyper_tangent(law, F, c, A);
            hyper_tangent_plain(law, F, c, plain);
            for (int r = 0; r < HYPER_NUMBERS; r++)
                for (int q = 0; q < HYPER_NUMBERS; q++) {
                    largest = worse(largest, fabs((double)A[r][q]));
                    d = worse(d, fabs((double)(A[r][q] - plain[r][q])));
                    s = worse(s, fabs((double)(A[r][q] - A[q][r])));
                }
            difference = worse(difference, d / largest);
            asymmetry = worse(asymmetry, s / largest);
        }
        report(law_names[law], "tangent - plain tangent", difference, 60 * EPS);
        report(law_names[law], "A - A^T", asymmetry, 60 * EPS);
    }
    all_must_hold();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_and_stress_are_the_known_ones),
        cmocka_unit_test(a_turned_body_stores_the_same_energy),
        cmocka_unit_test(at_rest_there_is_no_stress_and_small_strain_has_mu_and_lambda),
        cmocka_unit_test(known_states_have_the_quadratic_energy),
        cmocka_unit_test(sinhc_is_good_to_four_units_in_the_last_place),
        cmocka_unit_test(the_singular_values_are_those_that_F_was_made_of),
        cmocka_unit_test(only_states_with_an_energy_are_admitted),
        cmocka_unit_test(the_tangent_is_symmetric_and_equals_its_plain_twin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
