import { describe, expect, it } from 'vitest'
import { node } from '../../test/builders/node.ts'
import { nodeClaim } from '../../test/builders/nodeClaim.ts'
import { settings } from '../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../adapters/memory/virtualClock.ts'
import { clusterId, nodeClaimName } from '../model/ids.ts'
import { ANNOTATION } from '../model/labels.ts'
import { epochMs } from '../model/units.ts'
import { type Interruption, interrupt } from './interrupt.ts'

const NEVER = new AbortController().signal
const NOW = 1_800_000_000_000
const after = (ms: number): string => new Date(NOW + ms).toISOString()
const NOTICE: Interruption = { claim: nodeClaimName('default-a'), saidBy: 'node', when: 'announced', eventId: 'e', reason: 'Preempt' }

/** A spot machine whose claim and node somebody else writes just before each of our first `rivals` writes. */
function world({ rivals, deadline }: { readonly rivals: number; readonly deadline?: string }) {
  const { ports, objects } = createMemoryWorld({ clock: createVirtualClock(epochMs(NOW)), cluster: clusterId('test') })
  const annotations = deadline === undefined ? {} : { [ANNOTATION.terminationTimestamp]: deadline }
  objects.put('nodeClaim', nodeClaim({ name: 'default-a', capacityType: 'spot', meta: { annotations } }))
  objects.put('node', node({ claim: 'default-a' }))
  const left = { nodeClaim: rivals, node: rivals }
  const rival = (kind: 'nodeClaim' | 'node', key: string): void => {
    const seen = objects.get(kind, key)
    if (left[kind]-- <= 0 || seen === undefined) return
    const meta = { ...seen.meta, annotations: { ...seen.meta.annotations, rival: String(left[kind]) } }
    if (kind === 'node') objects.put('node', { ...objects.get('node', key), meta } as ReturnType<typeof node>)
    else objects.put('nodeClaim', { ...objects.get('nodeClaim', key), meta } as ReturnType<typeof nodeClaim>)
  }
  const api: typeof ports.api = {
    ...ports.api,
    patchClaim: (claim, ...rest) => {
      rival('nodeClaim', claim.name)
      return ports.api.patchClaim(claim, ...rest)
    },
    patchNode: (each, ...rest) => {
      rival('node', each.name)
      return ports.api.patchNode(each, ...rest)
    },
  }
  return { objects, deps: { ...ports, api, settings: settings() } }
}

describe('interrupt', () => {
  it.each([
    ['writes it', {}, after(25_000)],
    ['brings a later one forward', { deadline: after(3_600_000) }, after(25_000)],
    ['keeps an earlier one', { deadline: after(1_000) }, after(1_000)],
    ['replaces one that is no time', { deadline: 'soon' }, after(25_000)],
  ])('and the deadline of the claim: %s, however many write the claim and its node meanwhile', async (_, given, want) => {
    for (const rivals of [0, 1, 2, 5]) {
      const { objects, deps } = world({ rivals, ...given })
      expect(await interrupt(deps, NOTICE, NEVER)).toBe('handled')
      const claim = objects.get('nodeClaim', 'default-a')
      expect([rivals, claim?.meta.annotations[ANNOTATION.terminationTimestamp]]).toEqual([rivals, want])
      expect(claim?.meta.deletedAt).toBeDefined()
      expect(objects.all('node')[0]?.taints).toContainEqual({ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' })
    }
  })

  it('leaves the machine of another provider alone', async () => {
    const { objects, deps } = world({ rivals: 0 })
    const claim = objects.get('nodeClaim', 'default-a')
    if (claim === undefined) expect.fail('no claim')
    objects.put('nodeClaim', { ...claim, spec: { ...claim.spec, nodeClassRef: { ...claim.spec.nodeClassRef, kind: 'EC2NodeClass' } } })
    expect(await interrupt(deps, NOTICE, NEVER)).toBe('unknown')
    expect(objects.get('nodeClaim', 'default-a')?.meta.deletedAt).toBeUndefined()
  })

  it('fails, so that the event comes again, when every write loses', async () => {
    await expect(interrupt(world({ rivals: 1_000 }).deps, NOTICE, NEVER)).rejects.toMatchObject({ problem: { code: 'KUBE.CONFLICT' } })
  })
})
