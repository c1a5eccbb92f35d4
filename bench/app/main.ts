// Measures what a look of the app costs in a large cluster, through the real `reconcile`.
// npm run bench:app -- [--nodes 5000] [--events 60] [--json]
// A child process measures. It reads the cluster from the checkpoint, as a new process of the app does.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { INSTANCE_HEAP } from '../instanceHeap.ts'
import { storedCluster } from './storedCluster.ts'

/** The size of the cluster for which the gates hold. */
const GATED_NODES = 5_000

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '5000' },
    events: { type: 'string', default: '60' },
    json: { type: 'boolean', default: false },
  },
})
/** Small clusters that one process serves. */
const MANY = { nodes: 100, clusters: 100 }

const nodes = Number(values.nodes)
const isGated = nodes >= GATED_NODES
const folder = mkdtempSync(join(tmpdir(), 'joiner-bench-app-'))
try {
  const large = measure('measure.ts', nodes, values.events)
  const many = measure('measureMany.ts', isGated ? MANY.nodes : 10, isGated ? String(MANY.clusters) : '5')
  process.exitCode = Math.max(large, many)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function measure(script: string, nodesOfOne: number, count: string): number {
  const file = join(folder, script)
  writeFileSync(file, storedCluster(nodesOfOne))
  const args = [file, count, isGated ? 'gates' : 'none', ...(values.json ? ['--json'] : [])]
  return (
    spawnSync(process.execPath, ['--expose-gc', INSTANCE_HEAP, join(import.meta.dirname, script), ...args], { stdio: 'inherit' }).status ??
    1
  )
}
