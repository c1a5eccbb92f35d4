// What a look of the app costs at a large cluster, through the real `reconcile`. npm run bench:app -- [--nodes 5000] [--events 60] [--json]
// A process of its own measures: it knows the cluster from its compact state alone, as a new process of the app does.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { storedCluster } from './storedCluster.ts'

/** The cluster that the gates are of. */
const GATED_NODES = 5_000

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '5000' },
    events: { type: 'string', default: '60' },
    json: { type: 'boolean', default: false },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'joiner-bench-app-'))
try {
  const file = join(folder, 'compact')
  writeFileSync(file, storedCluster(Number(values.nodes)))
  const gates = Number(values.nodes) >= GATED_NODES ? 'gates' : 'none'
  const args = ['--expose-gc', join(import.meta.dirname, 'measure.ts'), file, values.events, gates, ...(values.json ? ['--json'] : [])]
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
