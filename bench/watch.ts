// Measures the shim on a real API server: `npm run bench:watch -- [--pods 20000] [--nodes 1000] [--rate 500] [--seconds 60] [--json]`. Prints a table
// and one line of JSON. After each fault the app's state is compared with a fresh list. A difference ends the bench with an error.
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { SHIM_IMAGE } from '../local/stack/shimImage.ts'
import { BUNDLES, bundle } from '../scripts/build.ts'
import { repositoryRoot } from '../scripts/floors.ts'
import { runWatch } from './watchRun.ts'

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '20000' },
    nodes: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '60' },
    'running-every': { type: 'string', default: '1' },
    'shim-flag': { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
})

const shimBundle = BUNDLES.find(({ entry }) => entry === 'shim/main.ts')
if (shimBundle) await bundle(repositoryRoot, shimBundle)
const size = {
  pods: Number(values.pods),
  nodes: Number(values.nodes),
  rate: Number(values.rate),
  seconds: Number(values.seconds),
  runningEvery: Number(values['running-every']),
  shimFlags: values['shim-flag'],
}
const measured = await runWatch(size, (line) => console.error(line))

if (!values.json) {
  const { startUp, steady, memory, restart, gone } = measured
  const table = new Table({ head: [`${size.pods} pods, ${size.nodes} nodes`, ''], style: { head: [], border: [] } })
  const delay = ({ p50, p99, max }: typeof steady.seenToApp) => `${p50} / ${p99} / ${max}`
  const rows: readonly (readonly [string, string | number])[] = [
    ['load average of the machine, 1, 5, 15 minutes', measured.loadAverage.join(' ')],
    ['loading pods and nodes, s', measured.loadSeconds],
    ['start to first snapshot taken, ms', startUp.snapshotMs],
    ['processor time until then, ms', startUp.cpuMs],
    ['gzip bytes an object in the snapshot', startUp.bytesPerObject],
    [`changes a second reached, of ${size.rate}`, steady.changesPerSecond],
    ['gzip bytes a change', steady.bytesPerChange],
    ['changes a post', steady.changesPerPost],
    [`processor time of the shim in these ${size.seconds} s, s`, steady.cpuSeconds],
    ['processor time a change, ms', steady.cpuMsPerChange],
    ['seen by the shim to taken by the app, p50 / p99 / max, ms', delay(steady.seenToApp)],
    ['write answered to taken by the app, p50 / p99 / max, ms', delay(steady.answeredToApp)],
    ['write sent to taken by the app, p50 / p99 / max, ms', delay(steady.sentToApp)],
    ['resident memory, peak, MiB', memory.peak],
    ['resident memory after the changes, of that not backed by a file, MiB', `${steady.memory.resident}, ${steady.memory.anonymous}`],
    ['API server killed: away, then until the app hears, ms', `${restart.awayMs}, ${restart.heardMs}`],
    ['etcd compacted (410): away, then until the app hears, ms', `${gone.awayMs}, ${gone.heardMs}`],
    ['kinds that were answered 410: after the kill, after the compaction', `${restart.gone.length}, ${gone.gone.length}`],
    ['shim killed to snapshot of the next term taken, ms', measured.shimRestartMs],
  ]
  for (const [what, value] of rows) table.push([what, String(value)])
  console.log(table.toString())
}
console.log(JSON.stringify({ bench: 'watch', ...SHIM_IMAGE, ...measured }))
const { gone, newTerm } = measured.gone
if (newTerm)
  console.error('the API server was away for so long that the shim lost its lease: it began a new term instead of resuming its watches')
else if (!gone.includes('pod')) console.error('the watch of pods was not answered 410 after the compaction')
process.exit(newTerm || gone.includes('pod') ? 0 : 1)
