/* film_webm.c -- a WebM video (the WebM Project's container guidelines; EBML: RFC 8794, Matroska: RFC 9559), whose
 * pictures a module encodes. A cluster begins at each picture that stands alone, and the cues at the end name them all,
 * so that players can seek. */
#include "host/base/fail.h"
#include "host/base/modules.h"
#include "host/film/film_parts.h"
#include "host/film/video.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Elements, by their names in RFC 9559. */
enum {
    EBML = 0x1A45DFA3,
    EBML_VERSION = 0x4286,
    EBML_READ_VERSION = 0x42F7,
    EBML_MAX_ID = 0x42F2,
    EBML_MAX_SIZE = 0x42F3,
    DOC_TYPE = 0x4282,
    DOC_TYPE_VERSION = 0x4287,
    DOC_TYPE_READ_VERSION = 0x4285,
    SEGMENT = 0x18538067,
    INFO = 0x1549A966,
    TIMESTAMP_SCALE = 0x2AD7B1,
    DURATION = 0x4489,
    MUXING_APP = 0x4D80,
    WRITING_APP = 0x5741,
    TRACKS = 0x1654AE6B,
    TRACK_ENTRY = 0xAE,
    TRACK_NUMBER = 0xD7,
    TRACK_UID = 0x73C5,
    FLAG_LACING = 0x9C,
    TRACK_TYPE = 0x83,
    CODEC_ID = 0x86,
    VIDEO = 0xE0,
    PIXEL_WIDTH = 0xB0,
    PIXEL_HEIGHT = 0xBA,
    COLOUR = 0x55B0,
    MATRIX = 0x55B1,
    RANGE = 0x55B9,
    TRANSFER = 0x55BA,
    PRIMARIES = 0x55BB,
    CLUSTER = 0x1F43B675,
    TIMESTAMP = 0xE7,
    SIMPLE_BLOCK = 0xA3,
    CUES = 0x1C53BB6B,
    CUE_POINT = 0xBB,
    CUE_TIME = 0xB3,
    CUE_TRACK_POSITIONS = 0xB7,
    CUE_TRACK = 0xF7,
    CUE_CLUSTER_POSITION = 0xF1
};
enum { SECONDS_BETWEEN_KEYS = 5, LONGEST_CLUSTER = 30000 /* ms; a block's time in it has 16 bits */ };

/* Bytes that grow. */
typedef struct {
    uint8_t *data;
    size_t size, room;
    bool lost; /* memory was refused, and bytes are missing */
} bytes;

typedef struct {
    int64_t time;      /* ms */
    uint64_t position; /* of its cluster, bytes from the start of the segment's contents */
} cue;

typedef struct {
    pio_film_format format;
    const pio_video_table *table;
    void *encoder;
    uint8_t *planes; /* y, cb and cr of one picture */
    bytes cluster;   /* the blocks of the cluster that is being filled */
    int64_t start;   /* its time, ms; -1: there is none */
    bool alone;      /* its first picture stands alone */
    cue *cues;
    size_t n_cues, room;
    uint64_t written; /* bytes of the segment's contents in the file */
    uint64_t segment; /* position of the segment's contents in the file */
} webm;

/* ---- EBML ---------------------------------------------------------------------------------------------- */

static void put(bytes *b, const void *data, size_t size)
{
    if (b->size + size > b->room && !b->lost) {
        const size_t room = 2 * (b->size + size) + 256;
        uint8_t *larger = realloc(b->data, room);
        b->lost = !larger;
        if (larger) b->data = larger, b->room = room;
    }
    if (b->lost) return;
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_big_endian(bytes *b, uint64_t v, int n)
{
    uint8_t out[8];
    for (int i = 0; i < n; i++) out[i] = (uint8_t)(v >> (8 * (n - 1 - i)));
    put(b, out, (size_t)n);
}

static void put_id(bytes *b, uint32_t id)
{
    put_big_endian(b, id, id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1);
}

/* Writes a size in eight bytes. */
static void put_size(bytes *b, uint64_t size)
{
    put_big_endian(b, 1ull << 56 | size, 8);
}

/* Begins an element of unknown size; end_element() takes what this returns and fills the size in. */
static size_t begin_element(bytes *b, uint32_t id)
{
    put_id(b, id);
    put_size(b, (1ull << 56) - 1);
    return b->size;
}

static void end_element(bytes *b, size_t at)
{
    if (b->lost) return;
    const uint64_t size = b->size - at;
    for (int i = 0; i < 7; i++) b->data[at - 1 - (size_t)i] = (uint8_t)(size >> (8 * i));
}

static void put_number(bytes *b, uint32_t id, uint64_t v)
{
    int n = 1;
    while (n < 8 && v >> (8 * n)) n++;
    put_id(b, id);
    put_big_endian(b, 0x80u | (unsigned)n, 1);
    put_big_endian(b, v, n);
}

static void put_text(bytes *b, uint32_t id, const char *text)
{
    put_id(b, id);
    put_big_endian(b, 0x80u | strlen(text), 1); /* shorter than 127 bytes */
    put(b, text, strlen(text));
}

static void put_double(bytes *b, uint32_t id, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_id(b, id);
    put_big_endian(b, 0x88, 1);
    put_big_endian(b, bits, 8);
}

/* ---- the module ---------------------------------------------------------------------------------------- */

static piola_status open_module(webm *w, piola_error *error)
{
    char why[PIO_MODULE_TEXT];
    const pio_module_head wanted = {PIO_VIDEO_VERSION, sizeof *w->table};
    w->table = pio_module_open(w->format.modules, "video", "vpx", wanted, why);
    if (w->table) return PIOLA_OK;
    return pio_fail(error, PIOLA_UNAVAILABLE,
                    "%s: a WebM video needs libvpx, and %s: install it (Debian: libvpx7; to build Piola with it, "
                    "libvpx-dev), or give the film a name that ends in .png",
                    w->format.path, why);
}

/* Turns the outcome of a module into a status. */
static piola_status status_of(const webm *w, pio_video_outcome outcome, const char *message, piola_error *error)
{
    if (outcome == PIO_VIDEO_OK) return PIOLA_OK;
    return pio_fail(error, outcome == PIO_VIDEO_NO_MEMORY ? PIOLA_NO_MEMORY : PIOLA_INTERNAL, "%s: %s", w->format.path,
                    message);
}

static void close_webm(void *state)
{
    webm *w = state;
    if (!w) return;
    if (w->table) w->table->end(w->encoder);
    free(w->planes);
    free(w->cluster.data);
    free(w->cues);
    free(w);
}

static piola_status open_webm(const pio_film_format *format, void **state, piola_error *error)
{
    char message[PIO_VIDEO_TEXT] = "";
    const size_t wide = (size_t)format->width, high = (size_t)format->height;
    const size_t size = wide * high + 2 * ((wide + 1) / 2) * ((high + 1) / 2);
    webm *w = *state = calloc(1, sizeof *w);
    if (!w) return pio_fail_memory(error, sizeof *w, "a film");
    w->format = *format;
    w->start = -1;
    const piola_status rc = open_module(w, error);
    if (rc) return rc;
    w->planes = malloc(size);
    if (!w->planes) return pio_fail_memory(error, size, "a picture of a film");
    const int keys = SECONDS_BETWEEN_KEYS * format->rate / 100;
    const pio_video_format f = {format->width, format->height, format->rate, keys > 1 ? keys : 1};
    return status_of(w, w->table->begin(&f, &w->encoder, message), message, error);
}

/* ---- the file ------------------------------------------------------------------------------------------ */

/* Appends to the segment. */
static piola_status write_out(webm *w, pio_new_file *file, const bytes *b, piola_error *error)
{
    if (b->lost) return pio_fail_memory(error, b->room, "a film");
    w->written += b->size;
    return pio_new_file_write(file, b->data, b->size, error);
}

static void put_track(bytes *b, const webm *w)
{
    const size_t tracks = begin_element(b, TRACKS), entry = begin_element(b, TRACK_ENTRY);
    put_number(b, TRACK_NUMBER, 1);
    put_number(b, TRACK_UID, 1);
    put_number(b, FLAG_LACING, 0);
    put_number(b, TRACK_TYPE, 1); /* video */
    put_text(b, CODEC_ID, w->table->codec);
    const size_t video = begin_element(b, VIDEO);
    put_number(b, PIXEL_WIDTH, (uint64_t)w->format.width);
    put_number(b, PIXEL_HEIGHT, (uint64_t)w->format.height);
    const size_t colour = begin_element(b, COLOUR);
    put_number(b, MATRIX, 1); /* BT.709, and so on; the range is limited */
    put_number(b, RANGE, 1);
    put_number(b, TRANSFER, 1);
    put_number(b, PRIMARIES, 1);
    end_element(b, colour);
    end_element(b, video);
    end_element(b, entry);
    end_element(b, tracks);
}

static piola_status put_head(webm *w, pio_new_file *file, piola_error *error)
{
    bytes b = {0};
    const size_t ebml = begin_element(&b, EBML);
    put_number(&b, EBML_VERSION, 1);
    put_number(&b, EBML_READ_VERSION, 1);
    put_number(&b, EBML_MAX_ID, 4);
    put_number(&b, EBML_MAX_SIZE, 8);
    put_text(&b, DOC_TYPE, "webm");
    put_number(&b, DOC_TYPE_VERSION, 4);
    put_number(&b, DOC_TYPE_READ_VERSION, 2);
    end_element(&b, ebml);
    w->segment = begin_element(&b, SEGMENT); /* its size is filled in at the end */
    const size_t info = begin_element(&b, INFO);
    put_number(&b, TIMESTAMP_SCALE, 1000000); /* times are in ms */
    put_double(&b, DURATION, (double)w->format.pictures * 1e5 / w->format.rate);
    put_text(&b, MUXING_APP, "piola");
    put_text(&b, WRITING_APP, "piola");
    end_element(&b, info);
    put_track(&b, w);
    const piola_status rc = write_out(w, file, &b, error);
    w->written -= w->segment;
    free(b.data);
    return rc;
}

/* Writes the cluster that was filled, if there is one. */
static piola_status put_cluster(webm *w, pio_new_file *file, piola_error *error)
{
    bytes head = {0}, time = {0};
    if (w->start < 0) return PIOLA_OK;
    if (w->alone && w->n_cues == w->room) {
        const size_t room = 2 * w->room + 16;
        cue *larger = realloc(w->cues, room * sizeof *larger);
        if (!larger) return pio_fail_memory(error, room * sizeof *larger, "a film");
        w->cues = larger;
        w->room = room;
    }
    if (w->alone) w->cues[w->n_cues++] = (cue){w->start, w->written};
    put_number(&time, TIMESTAMP, (uint64_t)w->start);
    put_id(&head, CLUSTER);
    put_size(&head, time.size + w->cluster.size);
    put(&head, time.data, time.lost ? 0 : time.size);
    head.lost |= time.lost;
    piola_status rc = write_out(w, file, &head, error);
    if (!rc) rc = write_out(w, file, &w->cluster, error);
    free(head.data);
    free(time.data);
    w->cluster.size = 0;
    w->start = -1;
    return rc;
}

/* Puts an encoded picture into a cluster. */
static piola_status put_block(webm *w, pio_new_file *file, const pio_video_packet *p, piola_error *error)
{
    const int64_t time = (p->at * 100000 + w->format.rate / 2) / w->format.rate; /* ms */
    piola_status rc = PIOLA_OK;
    if (p->key || time - w->start > LONGEST_CLUSTER) rc = put_cluster(w, file, error);
    if (rc) return rc;
    if (w->start < 0) {
        w->start = time;
        w->alone = p->key;
    }
    put_id(&w->cluster, SIMPLE_BLOCK);
    put_size(&w->cluster, p->size + 4);
    put_big_endian(&w->cluster, 0x81, 1); /* track 1 */
    put_big_endian(&w->cluster, (uint64_t)(time - w->start), 2);
    put_big_endian(&w->cluster, p->key ? 0x80 : 0, 1);
    put(&w->cluster, p->data, p->size);
    return PIOLA_OK;
}

/* Encodes a picture, or with NULL what is left. */
static piola_status encode(webm *w, pio_new_file *file, const pio_video_planes *planes, int64_t at, piola_error *error)
{
    char message[PIO_VIDEO_TEXT] = "";
    pio_video_packet packet = {0};
    piola_status rc = status_of(w, w->table->put(w->encoder, planes, at, message), message, error);
    while (!rc) {
        rc = status_of(w, w->table->take(w->encoder, &packet, message), message, error);
        if (rc || !packet.data) break;
        rc = put_block(w, file, &packet, error);
    }
    return rc;
}

/* Converts sRGB to brightness and colour differences by BT.709 in limited range, in units of 2^-16; those of
 * differences are means of four pixels. */
static void convert(const pio_image *image, uint8_t *y, uint8_t *cb, uint8_t *cr)
{
    const int w = image->width, h = image->height;
    for (size_t i = 0; i < (size_t)w * (size_t)h; i++) {
        const uint8_t *c = image->rgb + 3 * i;
        y[i] = (uint8_t)((16 * 65536 + 32768 + 11966 * c[0] + 40254 * c[1] + 4064 * c[2]) >> 16);
    }
    for (int j = 0; j < (h + 1) / 2; j++)
        for (int i = 0; i < (w + 1) / 2; i++) {
            int sum[3] = {0, 0, 0};
            for (int k = 0; k < 4; k++) {
                const int x = 2 * i + k % 2, row = 2 * j + k / 2;
                const size_t at = (size_t)(row < h ? row : h - 1) * (size_t)w + (size_t)(x < w ? x : w - 1);
                for (int a = 0; a < 3; a++) sum[a] += image->rgb[3 * at + (size_t)a];
            }
            *cb++ = (uint8_t)((128 * 4 * 65536 + 131072 - 6596 * sum[0] - 22189 * sum[1] + 28785 * sum[2]) >> 18);
            *cr++ = (uint8_t)((128 * 4 * 65536 + 131072 + 28785 * sum[0] - 26145 * sum[1] - 2640 * sum[2]) >> 18);
        }
}

static piola_status add_webm(void *state, pio_new_file *file, const pio_image *image, int64_t at, piola_error *error)
{
    webm *w = state;
    const size_t wide = (size_t)image->width, high = (size_t)image->height;
    uint8_t *cb = w->planes + wide * high, *cr = cb + ((wide + 1) / 2) * ((high + 1) / 2);
    const pio_video_planes planes = {w->planes, cb, cr};
    const piola_status rc = at ? PIOLA_OK : put_head(w, file, error);
    if (rc) return rc;
    convert(image, w->planes, cb, cr);
    return encode(w, file, &planes, at, error);
}

static piola_status put_cues(webm *w, pio_new_file *file, piola_error *error)
{
    bytes b = {0};
    const size_t cues = begin_element(&b, CUES);
    for (size_t i = 0; i < w->n_cues; i++) {
        const size_t point = begin_element(&b, CUE_POINT);
        put_number(&b, CUE_TIME, (uint64_t)w->cues[i].time);
        const size_t positions = begin_element(&b, CUE_TRACK_POSITIONS);
        put_number(&b, CUE_TRACK, 1);
        put_number(&b, CUE_CLUSTER_POSITION, w->cues[i].position);
        end_element(&b, positions);
        end_element(&b, point);
    }
    end_element(&b, cues);
    const piola_status rc = write_out(w, file, &b, error);
    free(b.data);
    return rc;
}

static piola_status finish_webm(void *state, pio_new_file *file, piola_error *error)
{
    webm *w = state;
    uint8_t size[8];
    piola_status rc = encode(w, file, NULL, w->format.pictures, error);
    if (!rc) rc = put_cluster(w, file, error);
    if (!rc) rc = put_cues(w, file, error);
    if (rc) return rc;
    for (int i = 0; i < 8; i++) size[i] = (uint8_t)((1ull << 56 | w->written) >> (8 * (7 - i)));
    if (pwrite(file->fd, size, 8, (off_t)w->segment - 8) == 8) return PIOLA_OK;
    return pio_fail(error, PIOLA_IO, "%s: writing the film failed: %s", w->format.path, strerror(errno));
}

const pio_film_kind pio_film_webm = {.end = ".webm",
                                     .kind = "WebM video",
                                     .head = "\x1a\x45\xdf\xa3",
                                     .head_size = 4,
                                     .open = open_webm,
                                     .add = add_webm,
                                     .finish = finish_webm,
                                     .close = close_webm};
