import { describe, expect, it } from 'vitest'
import { HOUR, hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { vmSizeName } from '../../model/ids.ts'
import type { LaunchRefusal } from '../../model/instance.ts'
import { problem } from '../../model/problem.ts'
import { withRefusals } from '../../model/refusalGrowth.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import { concernsClass, refusalsNow } from './madeOfferings.ts'
import { failedBoot, failedLate } from './sizeReports.ts'

const SIZE = vmSizeName('Standard_D4as_v6')
const CLASS = nodeClass()
const { uid, generation } = CLASS.meta
const scope = { kind: 'offering', size: SIZE, nodeClass: { name: CLASS.name, uid, generation } }

function boots(machines: readonly string[], every: number): readonly UnavailableOffering[] {
  return machines.reduce<readonly UnavailableOffering[]>((unavailable, machine, index) => {
    const now = hence(index * every)
    const failed = { size: SIZE, code: 'AZURE.FAILED', message: `machine ${machine} failed` } as const
    return withRefusals(unavailable, failedBoot(failed, { nodeClass: CLASS, unavailable, now }), now)
  }, [])
}

describe('F18: machines of one size that do not boot', () => {
  it.each([
    ['one leaves the size out for two minutes', ['one'], 0, 2 * MINUTE],
    ['a second leaves the size out for an hour', ['one', 'two'], MINUTE, MINUTE + HOUR],
    ['a second after the first block counts as well, for twice as long', ['one', 'two'], 10 * MINUTE, 10 * MINUTE + 2 * HOUR],
    ['one that is looked at twice is one', ['one', 'one'], 0, 2 * MINUTE],
  ])('%s', (_sentence, machines, every, until) => {
    expect(boots(machines, every)).toMatchObject([{ scope, until: hence(until) }])
  })

  it('are those of one generation of one NodeClass', () => {
    const known = boots(['one', 'two'], MINUTE)
    const next = { ...CLASS, meta: { ...CLASS.meta, generation: generation + 1 } }
    expect([refusalsNow(known, [CLASS]).length, refusalsNow(known, [next]).length, refusalsNow(known, []).length]).toEqual([1, 0, 0])
    expect(known.map((each) => [concernsClass(each, CLASS.name), concernsClass(each, nodeClass({ name: 'other' }).name)])).toEqual([
      [true, false],
    ])
  })

  it('teach nothing if the NodeClass is gone', () => {
    expect(failedBoot({ size: SIZE, code: 'AZURE.FAILED', message: '' }, { nodeClass: undefined, unavailable: [], now: NOW })).toEqual([])
  })
})

describe('a machine that fails after Azure took it', () => {
  const known = { nodeClass: CLASS, unavailable: [], now: NOW }
  const block = {
    scope: { kind: 'capacityType', capacityType: 'spot' },
    until: hence(MINUTE),
    code: 'AZURE.QUOTA.SPOT',
    message: '',
  } as const
  const late = (over: Partial<LaunchRefusal>, retryAfterMs?: number) =>
    failedLate(
      {
        problem: problem('AZURE.FAILED', 'no', retryAfterMs === undefined ? {} : { retryAfterMs }),
        unavailable: [],
        then: 'next',
        ...over,
      },
      { size: SIZE, message: 'machine one failed' },
      known,
    )

  it.each<[sentence: string, over: Partial<LaunchRefusal>, blocked: readonly object[]]>([
    ['for lack of capacity blocks what Azure said', { unavailable: [block] }, [block]],
    ['for an unknown reason blocks its size', { own: [block] }, [{ scope, until: hence(2 * MINUTE) }]],
    ['for a passing reason blocks its size', { then: 'retry' }, [{ scope, until: hence(2 * MINUTE) }]],
  ])('%s', (_sentence, over, blocked) => {
    expect(late(over)).toMatchObject(blocked)
  })

  it.each([
    [undefined, MINUTE],
    [5 * MINUTE, 5 * MINUTE],
  ])('for a reason that no other size avoids lets the NodeClass rest: asked to wait %s ms', (asked, rests) => {
    const { nodeClass: ofClass } = scope
    expect(late({ then: 'stop' }, asked)).toMatchObject([
      { scope: { kind: 'capacityType', capacityType: 'spot', nodeClass: ofClass }, until: hence(rests) },
      { scope: { kind: 'capacityType', capacityType: 'on-demand', nodeClass: ofClass }, until: hence(rests) },
    ])
  })
})
