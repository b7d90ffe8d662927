/* cpu_contact.c -- the loops of the kernels of contact that particles and meshes share. */
#include "kernels/backend/cpu_loops.h"
#include "kernels/contact/contact_kernels.h"

#include "kernels/contact/contact_kernels.def"
