/* video_vpx.c -- VP9 by libvpx: constant quality, one thread, so that the same pictures give the same bytes. */
#include "host/film/video.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vpx/vp8cx.h>
#include <vpx/vpx_encoder.h>

/* QUALITY: 0 is best and 63 worst; SPEED: 0 is slowest. */
enum { QUALITY = 26, SPEED = 2, LOOK_AHEAD = 16 };

typedef struct {
    vpx_codec_ctx_t codec;
    vpx_codec_iter_t packets; /* where take() is among the packets; NULL: at the first */
    vpx_image_t *image;
    bool begun; /* `codec` is initialised */
} encoder;

static pio_video_outcome outcome_of(vpx_codec_err_t code, const char *what, char *message)
{
    if (code == VPX_CODEC_OK) return PIO_VIDEO_OK;
    snprintf(message, PIO_VIDEO_TEXT, "libvpx: %s: %s", what, vpx_codec_err_to_string(code));
    return code == VPX_CODEC_MEM_ERROR ? PIO_VIDEO_NO_MEMORY : PIO_VIDEO_FAILED;
}

static void end(void *context)
{
    encoder *e = context;
    if (!e) return;
    if (e->begun) vpx_codec_destroy(&e->codec);
    vpx_img_free(e->image);
    free(e);
}

/* Opens the codec for a video of this format. */
static vpx_codec_err_t open_codec(encoder *e, const pio_video_format *format)
{
    vpx_codec_enc_cfg_t c;
    vpx_codec_err_t code = vpx_codec_enc_config_default(vpx_codec_vp9_cx(), &c, 0);
    if (code) return code;
    c.g_w = (unsigned)format->width;
    c.g_h = (unsigned)format->height;
    c.g_timebase = (vpx_rational_t){100, format->rate};
    c.g_threads = 1;
    c.rc_end_usage = VPX_Q;
    c.g_lag_in_frames = LOOK_AHEAD;
    c.kf_max_dist = (unsigned)format->between_keys;
    code = vpx_codec_enc_init(&e->codec, vpx_codec_vp9_cx(), &c, 0);
    e->begun = code == VPX_CODEC_OK;
    if (!code) code = vpx_codec_control(&e->codec, VP8E_SET_CQ_LEVEL, QUALITY);
    if (!code) code = vpx_codec_control(&e->codec, VP8E_SET_CPUUSED, SPEED);
    if (!code) code = vpx_codec_control(&e->codec, VP9E_SET_COLOR_SPACE, VPX_CS_BT_709);
    return code;
}

static pio_video_outcome begin(const pio_video_format *format, void **context, char *message)
{
    encoder *e = *context = calloc(1, sizeof *e);
    if (e) e->image = vpx_img_alloc(NULL, VPX_IMG_FMT_I420, (unsigned)format->width, (unsigned)format->height, 1);
    if (!e || !e->image) return outcome_of(VPX_CODEC_MEM_ERROR, "begin", message);
    return outcome_of(open_codec(e, format), "begin", message);
}

static void copy_plane(vpx_image_t *image, int plane, const uint8_t *from, size_t width, size_t height)
{
    for (size_t y = 0; y < height; y++)
        memcpy(image->planes[plane] + y * (size_t)image->stride[plane], from + y * width, width);
}

static pio_video_outcome put(void *context, const pio_video_planes *p, int64_t at, char *message)
{
    encoder *e = context;
    const size_t w = e->image->d_w, h = e->image->d_h;
    e->packets = NULL;
    if (p) {
        copy_plane(e->image, VPX_PLANE_Y, p->y, w, h);
        copy_plane(e->image, VPX_PLANE_U, p->cb, (w + 1) / 2, (h + 1) / 2);
        copy_plane(e->image, VPX_PLANE_V, p->cr, (w + 1) / 2, (h + 1) / 2);
    }
    return outcome_of(vpx_codec_encode(&e->codec, p ? e->image : NULL, at, 1, 0, VPX_DL_GOOD_QUALITY), "encode",
                      message);
}

static pio_video_outcome take(void *context, pio_video_packet *packet, char *message)
{
    encoder *e = context;
    const vpx_codec_cx_pkt_t *p;
    (void)message;
    *packet = (pio_video_packet){0};
    do {
        p = vpx_codec_get_cx_data(&e->codec, &e->packets);
    } while (p && p->kind != VPX_CODEC_CX_FRAME_PKT);
    if (p)
        *packet = (pio_video_packet){p->data.frame.buf, p->data.frame.sz, p->data.frame.pts,
                                     (p->data.frame.flags & VPX_FRAME_IS_KEY) != 0};
    return PIO_VIDEO_OK;
}

__attribute__((visibility("default"))) extern const pio_video_table piola_video;
const pio_video_table piola_video = {.version = PIO_VIDEO_VERSION,
                                     .size = sizeof(pio_video_table),
                                     .codec = "V_VP9",
                                     .begin = begin,
                                     .put = put,
                                     .take = take,
                                     .end = end};
