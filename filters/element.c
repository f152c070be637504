#include "element.h"

#include <math.h>

/* ---- members --------------------------------------------------------------------------------------------- */

static HaloStatus check_masks(const char *op, const HaloMask *mask, const HaloMask *heights)
{
    HaloStatus status = HALO_OK;
    if ((mask != NULL && mask->channels > 1) || (heights != NULL && heights->channels > 1))
        HALO_FAIL(HALO_ERR_USAGE, "%s: a structuring element has one channel", op);
    if (mask != NULL && heights != NULL && (mask->width != heights->width || mask->height != heights->height))
        HALO_FAIL(HALO_ERR_USAGE, "%s: mask is %lldx%lld and heights is %lldx%lld: they have to be of one size",
                  op, (long long)mask->width, (long long)mask->height, (long long)heights->width,
                  (long long)heights->height);
out:
    return status;
}

static HaloStatus take_members(HaloBuilder *builder, const char *op, const HaloMask *mask,
                               const HaloMask *heights, Element *element)
{
    HaloStatus status = HALO_OK;
    const HaloMask *size = mask != NULL ? mask : heights;
    const int64_t count = size->width * size->height;
    HaloMember *member = halo_build_keep(builder, (size_t)count * sizeof *member);
    if (member == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a mask of %lld entries", (long long)count);
    for (int64_t i = 0; i < count; i++) {
        HaloMember *to = &member[element->members];
        if (mask != NULL && !(mask->tap[i] != 0)) continue;
        *to = (HaloMember){.x = (int32_t)(i % size->width), .y = (int32_t)(i / size->width)};
        if (heights != NULL) HALO_TRY(filter_f32("height", heights->tap[i], &to->height));
        element->flat = element->flat && to->height == 0;
        element->members++;
    }
    element->member = member;
    if (element->members == 0)
        HALO_FAIL(HALO_ERR_USAGE, "%s: every coefficient of the mask is 0: those that are not belong to it",
                  op);
out:
    return status;
}

/* Rows above and below the members read nothing; nor do columns beside them. Without a border, or where it
 * keeps the input, they count: the size of the mask says where it ends. */
static void trim(Element *element)
{
    FilterWindow *window = &element->window;
    HaloMember *member = (HaloMember *)element->member;
    int32_t left = member[0].x, right = left;
    const int32_t top = member[0].y, bottom = member[element->members - 1].y;
    for (int64_t m = 1; m < element->members; m++) {
        left = member[m].x < left ? member[m].x : left;
        right = member[m].x > right ? member[m].x : right;
    }
    for (int64_t m = 0; m < element->members; m++) {
        member[m].x -= left;
        member[m].y -= top;
    }
    window->width = right - left + 1;
    window->height = bottom - top + 1;
    window->anchor_x -= left;
    window->anchor_y -= top;
}

/* Flat elements whose rows are each in one piece are shapes, whose cost hardly grows with their width. */
static HaloStatus make_shape(HaloBuilder *builder, Element *element)
{
    const int64_t height = element->window.height;
    const HaloMember *const member = element->member, *const end = member + element->members;
    HaloSpan *span = halo_build_keep(builder, (size_t)height * sizeof *span);
    if (span == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    bool whole = true;
    const HaloMember *at = member;
    for (int64_t j = 0; j < height; j++) {
        if (at == end || at->y != j) return HALO_OK;
        span[j] = (HaloSpan){at->x, at->x + 1};
        for (at++; at < end && at->y == j; at++)
            if (at->x != span[j].to++) return HALO_OK;
        whole = whole && span[j].from == 0 && span[j].to == element->window.width;
    }
    element->window.span = whole ? NULL : span;
    element->members = 0;
    return HALO_OK;
}

HaloStatus element_of(HaloBuilder *builder, const char *op, const HaloMask *mask, const HaloMask *heights,
                      Element *element)
{
    HaloStatus status = HALO_OK;
    const HaloMask *size = mask != NULL ? mask : heights;
    const HaloBorder border = halo_build_common(builder)->border;
    HALO_TRY(check_masks(op, mask, heights));
    *element = (Element){.window = filter_rectangle(size->width, size->height), .flat = true};
    element->window.anchor_x = size->anchor_x;
    element->window.anchor_y = size->anchor_y;
    HALO_TRY(take_members(builder, op, mask, heights, element));
    if (border != HALO_BORDER_VALID && border != HALO_BORDER_KEEP) trim(element);
    if (element->flat) HALO_TRY(make_shape(builder, element));
out:
    return status;
}

/* ---- turned ---------------------------------------------------------------------------------------------- */

HaloStatus element_turned(HaloBuilder *builder, const Element *element, Element *turned)
{
    const int64_t width = element->window.width, height = element->window.height, members = element->members;
    HaloMember *member = halo_build_keep(builder, (size_t)(members + 1) * sizeof *member);
    HaloSpan *span = halo_build_keep(builder, (size_t)height * sizeof *span);
    if (member == NULL || span == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *turned = *element;
    turned->window.anchor_x = width - 1 - element->window.anchor_x;
    turned->window.anchor_y = height - 1 - element->window.anchor_y;
    for (int64_t m = 0; m < members; m++) {
        const HaloMember *from = &element->member[members - 1 - m];
        member[m] = (HaloMember){(int32_t)width - 1 - from->x, (int32_t)height - 1 - from->y, from->height};
    }
    turned->member = member;
    for (int64_t j = 0; j < height && element->window.span != NULL; j++) {
        const HaloSpan from = element->window.span[height - 1 - j];
        span[j] = (HaloSpan){width - from.to, width - from.from};
    }
    if (element->window.span != NULL) turned->window.span = span;
    return HALO_OK;
}

/* ---- steps ----------------------------------------------------------------------------------------------- */

HaloStatus element_extreme(Filter *filter, HaloReg src, const Element *element, bool greatest, HaloReg *dst)
{
    const HaloLocal local = {.kind = greatest ? HALO_LOCAL_GREATEST : HALO_LOCAL_LEAST,
                             .flat = element->flat,
                             .members = element->members,
                             .member = element->member};
    if (element->members == 0) return filter_rank(filter, src, &element->window, greatest ? 1.0 : 0.0, dst);
    return filter_local(filter, src, &element->window, &local, dst);
}
