// Measures one process of the app: measure.ts CHECKPOINT EVENTS gates|none [--json]
import { readFileSync } from 'node:fs'
import { limitHeapGrowth } from '../../functions/heap.ts'
import { objectKey } from '../../shared/model/ids.ts'
import { type Figure, printFigures } from '../figures.ts'
import { quantile } from '../quantiles.ts'
import { replicas } from '../scheduling/workloads/arrivals.ts'
import { loadApp } from './loadedApp.ts'
import { processorTime, residentMebibytes, timed } from './timing.ts'

const [, , file = '', events = '60', gates, form] = process.argv
limitHeapGrowth()
const stored = readFileSync(file)
const before = residentMebibytes()
const app = loadApp(stored)
await app.post(replicas(1, 1, 'first'))
const cold = await timed(app.look)
// The first look rang the doorbell for this one, and left work for it.
const second = await timed(app.look)
const arrivals: number[] = []
const answers: number[] = []
const ofStanding: number[] = []
const idle: number[] = []
for (let event = 0; event < Number(events); event++) {
  const pods = replicas(1, 1_000 + event, `event-${event}`)
  await app.post(pods)
  arrivals.push(await timed(app.look))
  for (const { key } of pods) answers.push(await timed(() => app.explain({ kind: 'pod', key })))
  const name = `default-${String(event + 1).padStart(5, '0')}`
  ofStanding.push(await timed(() => app.explain({ kind: 'pod', key: objectKey('default', `${name}-0`) })))
  ofStanding.push(await timed(() => app.explain({ kind: 'nodeClaim', name })))
  await app.post(
    [],
    pods.map(({ key }) => key),
  )
  await app.look()
  idle.push(await processorTime(app.look))
}
const loaded = residentMebibytes()
const [asked] = replicas(1, 1, 'asked')
if (asked === undefined) throw new Error('no pod to ask about')
await app.post([asked])
app.restart()
const coldAnswer = await timed(() => app.explain({ kind: 'pod', key: asked.key }))

const ms = (what: string, value: number, gate: number, aim: number): Figure => ({ what, value, unit: 'ms', gate, aim })
printFigures(
  [
    ms('cold start to the first decision, checkpoint read', cold, 700, 250),
    ms('one pod arrives, p50', quantile(arrivals, 0.5), 20, 3),
    ms('one pod arrives, p99', quantile(arrivals, 0.99), 100, 15),
    ms('look with nothing to do, processor time, p50', quantile(idle, 0.5), 5, 0.5),
    ms('explain one pod, loaded, p50', quantile(answers, 0.5), 100, 20),
    ms('explain a running pod or a claim, loaded, p50', quantile(ofStanding, 0.5), 150, 50),
    ms('explain one pod, cold', coldAnswer, 2_000, 600),
    // Ports in memory never wait, so a look or an answer is one block of the event loop.
    ms('longest block of the event loop, loaded', Math.max(second, ...arrivals, ...answers, ...ofStanding), 150, 50),
    { what: 'checkpoint', value: stored.length / 2 ** 20, unit: 'MiB', gate: 20, aim: 8 },
    { what: 'memory with the cluster loaded', value: loaded, unit: 'MiB', gate: 350, aim: 220 },
    { what: 'memory that the cluster takes', value: loaded - before, unit: 'MiB', gate: 300, aim: 170 },
  ],
  form === '--json',
  gates === 'gates',
)
