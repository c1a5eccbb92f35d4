// What a look of the app costs, through the real `reconcile`. npm run bench:app -- [--nodes 5000] [--events 60]
import { parseArgs } from 'node:util'
import { quantile } from '../quantiles.ts'
import { replicas } from '../scheduling/workloads/arrivals.ts'
import { loadApp } from './loadedApp.ts'

const { values } = parseArgs({ options: { nodes: { type: 'string', default: '5000' }, events: { type: 'string', default: '60' } } })
const nodes = Number(values.nodes)
const app = await loadApp(nodes)

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`

console.log(`cold, the whole log read and decided: ${ms(await timed(app.look))}`)
const [arrivals, idle]: [number[], number[]] = [[], []]
for (let event = 0; event < Number(values.events); event++) {
  const pods = replicas(1, 1_000 + event, `event-${event}`)
  await app.post(pods)
  arrivals.push(await timed(app.look))
  await app.post(
    [],
    pods.map(({ key }) => key),
  )
  await app.look()
  idle.push(await timed(app.look))
}
console.log(`one pod arrives, p50 / p99: ${ms(quantile(arrivals, 0.5))} / ${ms(quantile(arrivals, 0.99))}`)
console.log(`a look with nothing to do, p50 / p99: ${ms(quantile(idle, 0.5))} / ${ms(quantile(idle, 0.99))}`)
console.log(`memory: ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB resident`)
