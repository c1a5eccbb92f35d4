import { expect, it } from 'vitest'
import { ASSUMED } from '../../cli/cost/assumed.ts'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { createSimulation } from '../../test/crash/simulation.ts'
import { scaleDown, scaleUp } from '../../test/crash/stories.ts'

it('the life of a machine takes no more than the estimate says, and no less than a third of it', async () => {
  const counts = { decisions: 0, posts: 0, steps: 0 }
  const counting = (deps: ClusterDeps): ClusterDeps => ({
    ...deps,
    queue: {
      ...deps.queue,
      decide: (request) => {
        // A decision because of a change. Decisions by the timer are counted by its schedule.
        if (request.because !== 'resync') counts.decisions++
        deps.queue.decide(request)
      },
      reconcile: (request, delayMs) => {
        if (request.because !== 'resync') counts.steps++
        deps.queue.reconcile(request, delayMs)
      },
    },
    log: {
      ...deps.log,
      append: (record, signal) => {
        counts.posts++
        return deps.log.append(record, signal)
      },
    },
  })
  const simulation = createSimulation({ bootMs: 45_000, deleteMs: 30_000, between: counting })
  const before = { ...counts }
  await scaleUp(simulation, 1)
  await simulation.runUntil(() => false, 120_000)
  await scaleDown(simulation)
  await simulation.runUntil(() => false, 60_000)
  for (const name of ['decisions', 'posts', 'steps'] as const) {
    const took = counts[name] - before[name]
    expect([name, took <= ASSUMED.perClaim[name], took * 3 >= ASSUMED.perClaim[name], took]).toEqual([name, true, true, took])
  }
})
