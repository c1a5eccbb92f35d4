import { quantile } from '../quantiles.ts'
import { publishedSizes, typesOf } from '../scheduling/catalogs/azureTypes.ts'

const RUNS = 15
/** Catalogues that are kept at once. The memory of one alone is lost in that of compiled code and of the catalogue before. */
const KEPT = 5

/**
 * The time and the memory of the instance types of all published sizes of eastus, with the list of sizes. The time is the lesser of wall time and processor time of the thread,
 * so that other programs on the machine do not count.
 */
export function measureCatalogue(): { readonly sizes: number; readonly ms: number; readonly mebibytes: number } {
  const { gc } = globalThis
  if (gc === undefined) throw new Error('node must run with --expose-gc, as npm run bench:azure does')
  const sizes = publishedSizes()
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const [startedAt, used] = [performance.now(), process.threadCpuUsage()]
    typesOf(sizes)
    const wallMs = performance.now() - startedAt
    const { user, system } = process.threadCpuUsage(used)
    times.push(Math.min(wallMs, (user + system) / 1_000))
  }
  gc()
  const before = process.memoryUsage().heapUsed
  const kept = Array.from({ length: KEPT }, () => typesOf(publishedSizes()))
  gc()
  const mebibytes = (process.memoryUsage().heapUsed - before) / KEPT / 1024 ** 2
  // The types are used after the measurement, so that they are not collected before it.
  if (kept.some((types) => types.length === 0)) throw new Error('no size of the list is usable')
  return { sizes: sizes.length, ms: quantile(times, 0.5), mebibytes }
}
