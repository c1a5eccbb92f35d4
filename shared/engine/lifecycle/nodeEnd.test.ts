import { describe, expect, it } from 'vitest'
import { applied } from '../../../test/builders/applied.ts'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { instance } from '../../../test/builders/instance.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { observation } from '../../../test/builders/observation.ts'
import { DAEMON_SET, NODE_OWNER, type PodShape, pod } from '../../../test/builders/pod.ts'
import type { ClaimObservation } from '../../model/claimStep.ts'
import { TAINT_KEY } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'
import type { Toleration } from '../../model/taint.ts'
import { stepNodeClaim } from './stepNodeClaim.ts'

const here = (name: string, shape: PodShape = {}): Pod => pod({ name, phase: 'Running', ...shape, nodeName: node().name })
const tolerating = (toleration: Toleration): Pod => here('p', { tolerations: [toleration] })
const CRITICAL = { priorityClassName: 'system-cluster-critical' } as const
const LONGEST = 5 * MINUTE

type Course = { readonly evicted: readonly string[]; readonly endsAfter: number }

/**
 * Plays the end of a claim whose node has these pods, until claim and node are gone. A pod goes when its deletion time is over, unless it is stuck.
 * `evicted`: the pods of each look that evicted some. `endsAfter`: seconds until the machine is asked to end.
 */
function courseOf(pods: readonly Pod[]): Course {
  let now: ClaimObservation = observation({
    claim: nodeClaim({ meta: { deletedAt: NOW, generation: 2 } }),
    ...{ nodes: [node()], instance: instance(), pods, volumeAttachments: [] },
  })
  const evicted: string[] = []
  let endedAt = Number.NaN
  while (now.claim.meta.finalizers.length > 0 && now.now < NOW + LONGEST) {
    const { actions, wakeAt = now.now } = stepNodeClaim(now)
    const names = actions.flatMap((action) => (action.kind === 'evictPod' ? [action.pod.key.replace('default/', '')] : []))
    if (names.length > 0) evicted.push(names.join(' '))
    if (actions.some(({ kind }) => kind === 'terminateInstance')) endedAt = now.now
    const after = applied(now, actions)
    const left = after.pods.filter(({ key, deletedAt }) => key === 'default/stuck' || deletedAt === undefined || deletedAt > wakeAt)
    now = { ...after, now: wakeAt, pods: left, instance: Number.isNaN(endedAt) ? after.instance : undefined }
  }
  expect([now.claim.meta.finalizers, now.nodes]).toEqual([[], []])
  return { evicted, endsAfter: (endedAt - NOW) / SECOND }
}

function withoutOwner(): Pod {
  const { owner: _, ...bare } = here('p')
  return bare
}

describe('a node that ends goes', () => {
  it.each<[sentence: string, pods: readonly Pod[], want: Course]>([
    ['NT-01 after five seconds without pods', [], { evicted: [], endsAfter: 5 }],
    [
      'NT-08 without a pod that tolerates the taint by Equal',
      [tolerating({ key: TAINT_KEY.disrupted, operator: 'Equal', effect: 'NoSchedule' })],
      { evicted: [], endsAfter: 5 },
    ],
    [
      'NT-09 without a pod that tolerates the taint by Exists',
      [tolerating({ key: TAINT_KEY.disrupted, operator: 'Exists', effect: 'NoSchedule' })],
      { evicted: [], endsAfter: 5 },
    ],
    [
      'NT-10 when a pod is evicted that tolerates cordoned nodes alone',
      [tolerating({ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' })],
      { evicted: ['p'], endsAfter: 5 },
    ],
    ['NT-11 when a pod is evicted that has no owner', [withoutOwner()], { evicted: ['p'], endsAfter: 5 }],
    [
      'NT-12 with pods that have ended',
      [here('done', { phase: 'Succeeded' }), here('failed', { phase: 'Failed' })],
      { evicted: [], endsAfter: 5 },
    ],
    ['NT-16 with static pods, which nobody evicts', [here('static', { owner: NODE_OWNER })], { evicted: [], endsAfter: 5 }],
    [
      'NT-14 when its pods, its daemons, its critical pods and its critical daemons went, in this order',
      [
        here('cni', { ...CRITICAL, owner: DAEMON_SET }),
        here('dns', CRITICAL),
        here('agent', { owner: DAEMON_SET }),
        here('web'),
        here('api'),
      ],
      { evicted: ['api web', 'agent', 'dns', 'cni'], endsAfter: 5 },
    ],
    [
      'NT-15 when its pods went, and then its critical ones',
      [here('dns', CRITICAL), here('web')],
      { evicted: ['web', 'dns'], endsAfter: 5 },
    ],
    [
      'NT-17 when the last of its pods that terminate is gone',
      [here('a', { deletedAt: hence(10 * SECOND) }), here('b', { deletedAt: hence(20 * SECOND) })],
      { evicted: [], endsAfter: 20 },
    ],
    [
      'NT-20 without a pod that should have terminated a minute ago',
      [here('stuck', { deletedAt: ago(30 * SECOND) })],
      // The looks at pods that leave are three seconds apart.
      { evicted: [], endsAfter: 32 },
    ],
  ])('%s', (_sentence, pods, want) => expect(courseOf(pods)).toEqual(want))
})
