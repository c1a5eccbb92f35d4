// The shim on a real API server. After each fault, the app's state is compared with a fresh list. A difference ends the bench with an error.
import { SHIM_IMAGE } from '../local/stack/shimImage.ts'
import { BUNDLES, bundle } from '../scripts/build.ts'
import { repositoryRoot } from '../scripts/floors.ts'
import type { Figure } from './figures.ts'
import { runWatch, type WatchSize } from './watchRun.ts'

const LARGE: WatchSize = { pods: 20_000, nodes: 1_000, rate: 500, seconds: 60, runningEvery: 1 }
const SMALL: WatchSize = { ...LARGE, pods: 50, nodes: 5, rate: 20, seconds: 2 }

export async function watchFigures(small: boolean): Promise<readonly Figure[]> {
  const shimBundle = BUNDLES.find(({ entry }) => entry === 'shim/main.ts')
  if (shimBundle) await bundle(repositoryRoot, shimBundle)
  const size = small ? SMALL : LARGE
  const measured = await runWatch(size, console.error)
  const { startUp, steady, memory, restart, gone } = measured
  if (gone.newTerm)
    throw new Error('the API server was away for so long that the shim lost its lease: it began a new term instead of resuming its watches')
  if (!gone.gone.includes('pod')) throw new Error('the watch of pods was not answered 410 after the compaction')
  console.error(JSON.stringify({ ...SHIM_IMAGE, ...measured }))
  const of = (what: string): string => `shim, ${size.pods} pods, ${size.nodes} nodes: ${what}`
  return [
    { what: of('start to first snapshot taken'), value: startUp.snapshotMs, unit: 'ms' },
    { what: of('processor time a change'), value: steady.cpuMsPerChange, unit: 'ms' },
    { what: of('seen to taken by the app, p99'), value: steady.seenToApp.p99, unit: 'ms', gate: 100, aim: 80 },
    { what: of('resident memory, peak'), value: memory.peak, unit: 'MiB', gate: 128, aim: 96 },
    { what: of('API server killed: until the app hears'), value: restart.heardMs, unit: 'ms' },
    { what: of('etcd compacted (410): until the app hears'), value: gone.heardMs, unit: 'ms' },
    { what: of('shim killed: to a snapshot of the next term'), value: measured.shimRestartMs, unit: 'ms' },
  ]
}
