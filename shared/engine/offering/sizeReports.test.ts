import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { clusterId } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { SizeReport } from '../../model/sizeReport.ts'
import { failureReport, furtherReports } from './sizeReports.ts'

const OWN = clusterId('own')
const FAILED = machine('failed', { size: 'new', launched: 0 })

/** A machine with the minutes at which it was launched and became ready. */
function machine(
  name: string,
  { size, launched, ready, nodeClass = 'default' }: { size: string; launched: number; ready?: number; nodeClass?: string },
): NodeClaim {
  const at = (minute: number) => ({ lastTransitionAt: hence(minute * MINUTE) })
  const conditions = [condition('Launched', at(launched)), ...(ready === undefined ? [] : [condition('Initialized', at(ready))])]
  return nodeClaim({ name, size, nodeClass, status: { conditions } })
}

function failure(cluster = OWN): SizeReport {
  return failureReport(FAILED, { kind: 'notBooted', cluster, at: hence(15 * MINUTE) }) ?? expect.fail('no report')
}

describe('F18: what the other machines of a cluster say about a size that did not boot', () => {
  it.each<[sentence: string, other: Parameters<typeof machine>[1], says: 'proven' | 'booted' | 'nothing']>([
    ['another size that became ready meanwhile proves it', { size: 'old', launched: 1, ready: 3 }, 'proven'],
    ['another size that became ready soon after proves it', { size: 'old', launched: 16, ready: 24 }, 'proven'],
    ['another size that became ready much later proves nothing', { size: 'old', launched: 16, ready: 25 }, 'nothing'],
    ['another size that was ready before proves nothing', { size: 'old', launched: -3, ready: -1 }, 'nothing'],
    ['another size that is not ready proves nothing', { size: 'old', launched: 1 }, 'nothing'],
    ['another size of another NodeClass proves nothing', { size: 'old', launched: 1, ready: 3, nodeClass: 'gpu' }, 'nothing'],
    ['the same size that became ready since refutes it', { size: 'new', launched: 20, ready: 23, nodeClass: 'gpu' }, 'booted'],
    ['the same size that was ready before does not', { size: 'new', launched: -3, ready: -1 }, 'nothing'],
  ])('%s', (_sentence, other, says) => {
    const claims = [FAILED, machine('other', other)]
    const found = furtherReports([failure()], claims, OWN)
    expect(found.map(({ kind, isProven }) => (isProven === true ? 'proven' : kind))).toEqual(says === 'nothing' ? [] : [says])
    // What is known already is not said again.
    expect(furtherReports([...found, ...(says === 'proven' ? [] : [failure()])], claims, OWN)).toEqual([])
  })

  it('a failure in another cluster can be refuted, but not proven', () => {
    const claims = [machine('other', { size: 'old', launched: 1, ready: 3 }), machine('same', { size: 'new', launched: 1, ready: 3 })]
    expect(furtherReports([failure(clusterId('another'))], claims, OWN)).toMatchObject([{ kind: 'booted', claim: 'same', cluster: OWN }])
  })
})

describe('F20: a spot machine that Azure takes', () => {
  it.each([
    [14, 'evicted'],
    [15, undefined],
  ] as const)('%i minutes after its launch says: %s', (minutes, kind) => {
    const claim = machine('taken', { size: 'spot', launched: -minutes })
    expect(failureReport(claim, { kind: 'evicted', cluster: OWN, at: NOW })?.kind).toBe(kind)
  })

  it('says nothing if it was never launched', () => {
    const claim = nodeClaim({ stage: 'created', meta: { createdAt: ago(MINUTE) } })
    expect(failureReport(claim, { kind: 'evicted', cluster: OWN, at: NOW })).toBeUndefined()
  })
})
