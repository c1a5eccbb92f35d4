import { describe, expect, it } from 'vitest'
import { ANNOTATION } from '../../shared/model/labels.ts'
import { SPANS } from '../../shared/model/telemetryContract.ts'
import { traceIn } from '../../shared/model/trace.ts'
import { scaleUp } from '../crash/stories.ts'
import { createMonitoredSimulation, type MonitoredSimulation } from './monitoredSimulation.ts'
import type { TableRow } from './tables.ts'

const STAGES = Object.keys(SPANS)

function startOf({ TimeGenerated }: TableRow): number {
  return Date.parse(String(TimeGenerated))
}

/** For each claim, its trace and the spans of the trace with their names. */
function tracesOf({ simulation, ingestion }: MonitoredSimulation) {
  const spans = ingestion.rows('AppDependencies')
  return simulation.world.objects.all('nodeClaim').map((claim) => {
    const mine = spans.filter(({ Properties }) => Properties['nodeClaim'] === claim.name)
    return { claim: claim.name, trace: traceIn(claim), spans: mine, names: mine.map(({ Name }) => String(Name)) }
  })
}

describe('the trace of a machine', () => {
  it('has nine stages from its pod to Ready, once each, in the order of time', async () => {
    const story = createMonitoredSimulation()
    await scaleUp(story.simulation)
    await story.flush()
    const traces = tracesOf(story)
    expect(traces.length).toBeGreaterThan(0)
    for (const { trace, spans, names } of traces) {
      expect([...names].sort()).toEqual([...STAGES].sort())
      expect(new Set(spans.map(({ OperationId }) => OperationId))).toEqual(new Set([trace?.traceId]))
      const inOrder = STAGES.flatMap((name) => spans.find(({ Name }) => Name === name) ?? [])
      const starts = inOrder.map(startOf)
      // Kubernetes times have a resolution of one second.
      for (const [index, start] of starts.entries()) expect(start, STAGES[index]).toBeGreaterThan((starts[index - 1] ?? start) - 1_001)
      expect(inOrder.map(({ ParentId }) => ParentId)).toEqual([undefined, ...STAGES.slice(1).map(() => trace?.spanId)])
      expect(inOrder[0]).toMatchObject({ Id: trace?.spanId })
    }
    expect(new Set(traces.map(({ trace }) => trace?.traceId)).size).toBe(traces.length)
  })
})

/** Stages whose spans the invocation of the decision sends. An invocation for one claim sends the others. */
const OF_DECISION = STAGES.slice(0, 4)

/** Plays the story and returns what is wrong with its traces: foreign, missing or doubled stages. `died`: an invocation may have died. */
async function wrongWith(story: MonitoredSimulation, died = false): Promise<readonly unknown[]> {
  const took = await scaleUp(story.simulation)
  await story.flush()
  const traces = tracesOf(story)
  const ids = story.ingestion.rows('AppDependencies').map(({ OperationId, Id }) => `${OperationId} ${Id}`)
  const known = new Set(traces.map(({ trace }) => trace?.traceId))
  const foreign = story.ingestion.rows('AppDependencies').filter(({ OperationId }) => !known.has(OperationId))
  const torn = traces.flatMap(({ claim, names }) => {
    const missing = STAGES.filter((stage) => !names.includes(stage))
    return missing.length === 0 ? [] : [[claim, ...missing]]
  })
  const twice = ids.length - new Set(ids).size
  const ofOneInvocation = torn.length <= 1 || torn.every(([, ...stages]) => stages.every((stage) => OF_DECISION.includes(stage)))
  const isToldOf = died ? ofOneInvocation : torn.length === 0
  const isWhole = took !== undefined && traces.length > 0 && foreign.length === 0 && isToldOf && twice === 0
  return isWhole ? [] : [{ took, foreign: foreign.length, torn, twice }]
}

describe('a trace is whole', () => {
  it('where each post comes twice and two processes work beside each other', async () => {
    const story = createMonitoredSimulation({ hosts: 2, delivery: (records) => records.flatMap((record) => [record, record]) })
    expect(await wrongWith(story)).toEqual([])
  })

  it('of every machine of many: none is sampled', async () => {
    const story = createMonitoredSimulation()
    await scaleUp(story.simulation, 60, { cpus: 3 })
    await story.flush()
    const traces = tracesOf(story)
    expect(traces.length).toBeGreaterThan(5)
    for (const { names } of traces) expect([...names].sort()).toEqual([...STAGES].sort())
  })

  it('where a process dies at any write and another goes on, but for what the dead invocation told', async () => {
    const calm = createMonitoredSimulation()
    await scaleUp(calm.simulation)
    const writes = calm.simulation.world.journal.tried()
    expect(writes).toBeGreaterThan(10)
    const wrong: unknown[] = []
    for (let write = 1; write <= writes; write++) {
      const story = createMonitoredSimulation()
      story.simulation.world.failAt(write, { when: write % 2 === 0 ? 'before' : 'after', how: 'kill' })
      const found = await wrongWith(story, true)
      if (found.length > 0) wrong.push({ write, found })
    }
    expect(wrong).toEqual([])
  }, 120_000)
})

describe('the context of a trace', () => {
  it('is in the claim and in each request about it, as a traceparent', async () => {
    const sent: unknown[] = []
    const { simulation } = createMonitoredSimulation({
      between(deps) {
        const reconcile: typeof deps.queue.reconcile = (request, delayMs) => {
          sent.push(request.trace)
          deps.queue.reconcile(request, delayMs)
        }
        return { ...deps, queue: { ...deps.queue, reconcile } }
      },
    })
    await scaleUp(simulation)
    const carried = simulation.world.objects.all('nodeClaim').map(({ meta }) => meta.annotations[ANNOTATION.traceParent])
    expect(carried).not.toEqual([])
    for (const each of carried) expect(each).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    expect(new Set(sent.filter((each) => each !== undefined))).toEqual(new Set(carried))
    // News carries no trace, because only the name of the claim is known.
    expect(sent.filter((each) => each !== undefined).length).toBeGreaterThanOrEqual(2 * carried.length)
  })

  it('is nothing that a step needs: a claim without it, or with something else in its place, gets ready and has no spans', async () => {
    const story = createMonitoredSimulation({
      between(deps) {
        const createClaim: typeof deps.api.createClaim = (draft, ...rest) => {
          const { [ANNOTATION.traceParent]: _, ...annotations } = draft.annotations
          return deps.api.createClaim({ ...draft, annotations: { ...annotations, [ANNOTATION.traceParent]: 'mine' } }, ...rest)
        }
        return { ...deps, api: { ...deps.api, createClaim } }
      },
    })
    expect(await scaleUp(story.simulation)).toBeDefined()
    await story.flush()
    expect(story.ingestion.rows('AppDependencies')).toEqual([])
    expect(story.ingestion.rows('AppEvents').map(({ Name }) => Name)).toContain('nodeclaim.initialized')
  })

  it('is also that of the events of the machine', async () => {
    const story = createMonitoredSimulation()
    await scaleUp(story.simulation)
    await story.flush()
    for (const { claim, trace } of tracesOf(story)) {
      const events = story.ingestion.rows('AppEvents').filter(({ Properties }) => Properties['nodeClaim'] === claim)
      expect(events.map(({ Name }) => Name)).toEqual([
        'provisioning.decision',
        'nodeclaim.launch',
        'nodeclaim.registered',
        'nodeclaim.initialized',
      ])
      for (const { OperationId, ParentId } of events)
        expect({ OperationId, ParentId }).toEqual({ OperationId: trace?.traceId, ParentId: trace?.spanId })
    }
  })
})
