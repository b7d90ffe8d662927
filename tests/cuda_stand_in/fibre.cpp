/* fibre.cpp -- see fibre.h. On x86-64 a switch is a dozen instructions, elsewhere it is swapcontext. The sanitizers are
 * informed of each, as their interfaces for fibres require. */
#include "tests/cuda_stand_in/fibre.h"

#include "tests/cuda_stand_in/cuda_runtime_api.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if STAND_IN_UCONTEXT
#include <ucontext.h>
#endif
#if STAND_IN_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

#if STAND_IN_TSAN
extern "C" {
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void *fibre, unsigned flags);
void __tsan_acquire(void *token);
void __tsan_release(void *token);
}
enum { NO_ORDER = 1 }; /* of __tsan_switch_to_fiber: the switch orders nothing */
#endif

namespace
{
enum { STACK = 256 * 1024, LINE = 64, LINES = 256 };

/* The state of a stack that does not run. */
struct place {
#if STAND_IN_UCONTEXT
    ucontext_t context;
#else
    void *top;
#endif
    void *fake;         /* stack of the address sanitizer */
    const void *bottom; /* of the stack, and its size, for the address sanitizer */
    size_t size;
    void *shadow; /* of the thread sanitizer */
};
} // namespace

struct fibre {
    place at;
    void (*main)(fibre *self);
};

namespace
{
place outside; /* where fibres are resumed */
fibre *running;

#if !STAND_IN_UCONTEXT
/* Puts the registers that a call keeps onto the stack, and takes those of the other stack. */
extern "C" void stand_in_switch(void **save, void *load);
asm(".text\n.hidden stand_in_switch\n.globl stand_in_switch\n.type stand_in_switch, @function\nstand_in_switch:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp,(%rdi)\nmovq %rsi,%rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n"
    ".size stand_in_switch, .-stand_in_switch\n");
#endif

void leave(place &from, place &to)
{
#if STAND_IN_ASAN
    __sanitizer_start_switch_fiber(&from.fake, to.bottom, to.size);
#endif
#if STAND_IN_TSAN
    __tsan_switch_to_fiber(to.shadow, NO_ORDER);
#endif
#if STAND_IN_UCONTEXT
    swapcontext(&from.context, &to.context);
#else
    stand_in_switch(&from.top, to.top);
#endif
#if STAND_IN_ASAN
    __sanitizer_finish_switch_fiber(from.fake, nullptr, nullptr);
#endif
}

void enter()
{
    fibre *const self = running;
#if STAND_IN_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &outside.bottom, &outside.size);
#endif
    self->main(self);
    stand_in_stop("a fibre ended");
}
} // namespace

fibre *fibre_create(void (*main)(fibre *self))
{
    static unsigned created;
    const long page = sysconf(_SC_PAGESIZE);
    const size_t below = LINE * (11 * created++ % LINES); /* tops of stacks share no line of a cache */
    char *const stack =
        (char *)mmap(nullptr, STACK + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, page, PROT_NONE)) stand_in_stop("there is no memory for a stack");
    fibre *const f = (fibre *)mmap(nullptr, sizeof *f, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (f == MAP_FAILED) stand_in_stop("there is no memory for a fibre");
    f->main = main;
    f->at.bottom = stack + page;
    f->at.size = STACK - below;
#if STAND_IN_TSAN
    f->at.shadow = __tsan_create_fiber(0);
#endif
#if STAND_IN_UCONTEXT
    getcontext(&f->at.context);
    f->at.context.uc_stack.ss_sp = stack + page;
    f->at.context.uc_stack.ss_size = STACK - below;
    f->at.context.uc_link = nullptr;
    makecontext(&f->at.context, enter, 0);
#else
    void **const top = (void **)(stack + page + STACK - below) - 8; /* six registers, where to begin, and none above */
    top[6] = (void *)enter;
    f->at.top = top;
#endif
    return f;
}

void fibre_resume(fibre *f)
{
#if STAND_IN_TSAN
    outside.shadow = __tsan_get_current_fiber();
#endif
    running = f;
    leave(outside, f->at);
    running = nullptr;
}

void fibre_pause(fibre *f)
{
    leave(f->at, outside);
}

void fibre_release(void *token)
{
#if STAND_IN_TSAN
    __tsan_release(token);
#else
    (void)token;
#endif
}

void fibre_acquire(void *token)
{
#if STAND_IN_TSAN
    __tsan_acquire(token);
#else
    (void)token;
#endif
}
