/**
 * Quantities by resource name, as integers in the resource's own unit: `cpu` in milli CPU, `memory`, `ephemeral-storage`
 * and `hugepages-*` in bytes, everything else (`pods`, `nvidia.com/gpu`) as a count. A fraction is rounded up when parsed.
 * Absent means zero.
 */
export type Resources = { readonly [resource: string]: number }
