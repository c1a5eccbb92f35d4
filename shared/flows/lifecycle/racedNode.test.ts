import { expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err } from '../../base/result.ts'
import { findCondition } from '../../model/condition.ts'
import { clusterId } from '../../model/ids.ts'
import type { Node } from '../../model/node.ts'
import { problem } from '../../model/problem.ts'
import type { ClaimRequest } from '../../model/work.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { createSeenClaims } from './observeKnown.ts'
import { stepClaim } from './stepClaim.ts'

const NEVER = new AbortController().signal

/** A launched claim whose node joined as the message says. The first `losses` patches of the node lose against another writer, `meanwhile`. */
async function registeredBeside(meanwhile: (joined: Node) => Node | undefined, losses = 1) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  const claim = nodeClaim({ stage: 'launched' })
  const known = { ...node({ initialized: false }), taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' as const }] }
  const joined: Node = { ...known, meta: { ...known.meta, labels: {}, finalizers: [], resourceVersion: '1' } }
  world.objects.put('nodeClaim', claim)
  world.objects.put('node', joined)
  const seen = createSeenClaims()
  seen.note(world.objects.get('nodeClaim', claim.name) ?? claim)
  const calls: string[] = []
  const { api } = world.ports
  const counted = (name: 'getClaim' | 'getNode'): Partial<ClusterApi> => ({
    [name]: (...input: readonly never[]) => {
      calls.push(name)
      return (api[name] as (...given: readonly never[]) => Promise<unknown>)(...input)
    },
  })
  let left = losses
  const deps = {
    ...world.ports,
    settings: settings(),
    api: {
      ...api,
      ...counted('getClaim'),
      ...counted('getNode'),
      patchNode: async (...input: Parameters<ClusterApi['patchNode']>) => {
        if (left-- <= 0) return api.patchNode(...input)
        const now = meanwhile(joined)
        if (now === undefined) world.objects.delete('node', joined.name)
        else world.objects.put('node', now)
        return err(problem('KUBE.CONFLICT', 'patch node: it changed'))
      },
    },
  }
  const message: ClaimRequest = {
    ...{ claim: claim.name, because: 'news', isFollowed: false, attempt: 0 },
    known: { isComing: true, node: joined },
  }
  await stepClaim(deps, message, NEVER, seen)
  const written = world.objects.get('nodeClaim', claim.name)
  return {
    calls,
    registered: findCondition(written?.status.conditions ?? [], 'Registered')?.status,
    node: world.objects.get('node', joined.name),
  }
}

it('a node that was written meanwhile is read again, and its claim is not', async () => {
  const label = { 'kubernetes.azure.com/role': 'agent' }
  const { calls, registered, node: written } = await registeredBeside((joined) => ({ ...joined, meta: { ...joined.meta, labels: label } }))
  expect(calls).toEqual(['getNode'])
  expect(registered).toBe('True')
  expect(written?.meta.labels).toMatchObject(label)
  expect(written?.taints).toEqual([])
})

it.each<[sentence: string, meanwhile: (joined: Node) => Node | undefined]>([
  ['is gone', () => undefined],
  ['is another of that name', (joined) => ({ ...joined, meta: { ...joined.meta, uid: node({ name: 'other' }).meta.uid } })],
])('where the node %s, all is looked at', async (_sentence, meanwhile) => {
  const { calls } = await registeredBeside(meanwhile)
  expect(calls).toContain('getClaim')
})

it('who loses again and again leaves the claim to the others', async () => {
  const { registered } = await registeredBeside((joined) => joined, 10)
  expect(registered).not.toBe('True')
})
