import { describe, expect, it } from 'vitest'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import type { NodeClaimName } from '../../shared/model/ids.ts'
import { DAEMON_SET, pod } from '../builders/pod.ts'
import { resources } from '../builders/resources.ts'
import { createSimulation } from './simulation.ts'
import { scaleUp } from './stories.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** One step of the simulation for the news of the pod, one for the run, and one for the write. */
const SOON_MS = 750

/**
 * Deletes a claim whose pods need this long to end. Returns the milliseconds from the end of the last pod until Azure is asked to delete the machine,
 * and how often Azure is asked about it.
 */
async function drainFor(podExitMs: number, { daemons = 0, hosts = 1 } = {}) {
  const asked = new Map<NodeClaimName, number>()
  const between = (deps: ClusterDeps): ClusterDeps => ({
    ...deps,
    cloud: {
      ...deps.cloud,
      get(name, signal) {
        asked.set(name, (asked.get(name) ?? 0) + 1)
        return deps.cloud.get(name, signal)
      },
    },
  })
  const simulation = createSimulation({ between, hosts, isConcurrent: true, podExitMs, deleteMs: 30 * SECOND })
  await scaleUp(simulation, 3, { requests: { ...resources(1, 1), pods: 1 } })
  const { objects, journal, clock } = simulation.world
  const [claim] = objects.all('nodeClaim')
  const { nodeName } = claim?.status ?? {}
  if (claim === undefined || nodeName === undefined) expect.fail('no claim with a node')
  for (let index = 0; index < daemons; index++)
    objects.put('pod', pod({ name: `daemon-${index}`, owner: DAEMON_SET, nodeName, phase: 'Running', createdAt: clock.now() }))
  await simulation.runUntil(() => false, MINUTE)
  asked.clear()
  objects.delete('nodeClaim', claim.name)
  const isEmpty = (): boolean => !objects.all('pod').some((each) => each.nodeName === nodeName)
  await simulation.runUntil(isEmpty, 10 * MINUTE)
  const emptyAt = clock.now()
  await simulation.runUntil(() => objects.get('nodeClaim', claim.name) === undefined, 10 * MINUTE)
  const end = journal.entries.find(({ operation, object }) => operation === 'cloud.terminate' && object.endsWith(nodeName))
  return { late: (end?.at ?? Number.NaN) - emptyAt, asked: asked.get(claim.name) ?? 0 }
}

describe('a node whose pods take long to end', () => {
  it.each([20, 33, 45, 58].flatMap((seconds) => [1, 2].map((hosts) => ({ seconds, hosts }))))(
    'is deleted as soon as they are gone, with no more calls than after a short drain: after $seconds s, with $hosts hosts',
    async ({ seconds, hosts }) => {
      const short = await drainFor(SECOND, { hosts })
      const long = await drainFor(seconds * SECOND, { hosts })
      expect(long.late).toBeLessThanOrEqual(SOON_MS)
      // A resync falls between the requeues once more or once less.
      expect(long.asked).toBeLessThanOrEqual(short.asked + 1)
    },
  )

  it('has its daemons evicted as soon as the other pods are gone', async () => {
    expect((await drainFor(45 * SECOND, { daemons: 2 })).late).toBeLessThanOrEqual(SOON_MS)
  })
})
