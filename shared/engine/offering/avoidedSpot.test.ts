import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { vmSizeName, zoneName } from '../../model/ids.ts'
import { withRefusals } from '../../model/refusalGrowth.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import { avoidedSpot } from './avoidedSpot.ts'

const SIZE = vmSizeName('Standard_D4as_v6')
const [FIRST, SECOND_ZONE] = [zoneName('eastus-1'), zoneName('eastus-2')]
const IN_ZONE = { kind: 'offering', size: SIZE, zone: FIRST, capacityType: 'spot' }
const IN_ALL = { kind: 'offering', size: SIZE, capacityType: 'spot' }

function taken(zone: typeof FIRST, known: readonly UnavailableOffering[], now: EpochMs) {
  const avoided = avoidedSpot({ size: SIZE, zone, message: 'taken' }, known, now)
  return { scopes: avoided.map(({ scope }) => scope), known: withRefusals(known, avoided, now) }
}

describe('after Azure took spot machines of a size', () => {
  it('the size is avoided in the zone of the first', () => {
    expect(taken(FIRST, [], NOW).scopes).toEqual([IN_ZONE])
  })

  it.each<[string, typeof FIRST, EpochMs, readonly object[]]>([
    ['together in one zone, in this zone', FIRST, later(NOW, durationMs(MINUTE)), [IN_ZONE]],
    ['again in one zone, in all zones', FIRST, later(NOW, durationMs(10 * MINUTE)), [IN_ZONE, IN_ALL]],
    ['again after more than an hour, in all zones', FIRST, later(NOW, durationMs(90 * MINUTE)), [IN_ZONE, IN_ALL]],
    ['in two zones, in all zones', SECOND_ZONE, later(NOW, durationMs(MINUTE)), [{ ...IN_ZONE, zone: SECOND_ZONE }, IN_ALL]],
    [
      'in two zones, the first of which is open again, in this zone',
      SECOND_ZONE,
      later(NOW, durationMs(10 * MINUTE)),
      [{ ...IN_ZONE, zone: SECOND_ZONE }],
    ],
  ])('%s', (_sentence, zone, at, expected) => {
    const { known } = taken(FIRST, [], NOW)
    expect(taken(zone, known, at).scopes).toEqual(expected)
  })

  it('and the size comes back later, each time later than before', () => {
    let known: readonly UnavailableOffering[] = []
    let now: EpochMs = NOW
    const pauses: number[] = []
    for (let times = 0; times < 5; times++) {
      known = taken(FIRST, known, now).known
      const open = Math.max(...known.map(({ until }) => until))
      pauses.push((open - now) / MINUTE)
      // The size is bought again, and taken after four minutes.
      now = later(now, durationMs(open - now + 4 * MINUTE))
    }
    expect(pauses).toEqual([10, 20, 40, 80, 80])
  })

  it.each<[string, UnavailableOffering['scope'], EpochMs]>([
    ['another size', { kind: 'offering', size: vmSizeName('Standard_D8as_v6'), zone: FIRST, capacityType: 'spot' }, ago(SECOND)],
    ['the size on demand', { kind: 'offering', size: SIZE, zone: FIRST, capacityType: 'on-demand' }, ago(SECOND)],
    ['all spot machines', { kind: 'capacityType', capacityType: 'spot' }, hence(MINUTE)],
  ])('what is known of %s does not count', (_sentence, scope, until) => {
    const known: readonly UnavailableOffering[] = [{ scope, until, code: 'AZURE.ALLOCATION.ZONE', message: 'm' }]
    expect(taken(FIRST, known, NOW).scopes).toEqual([IN_ZONE])
  })
})
