import { describe, expect, it } from 'vitest'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { settings, snapshot } from '../../../../test/builders/snapshot.ts'
import { weighed } from '../../../../test/builders/weighed.ts'
import { CALM_ANNOTATION } from '../../../model/labels.ts'
import { durationMs, usdPerHour } from '../../../model/units.ts'
import { fleetSnapshotOf } from '../../cluster/fleet.ts'
import { calmOf, frozenBy, tooSmall } from './calm.ts'

const SETTINGS = settings({
  calm: {
    isFrozen: false,
    leastSavingShare: 0.2,
    leastSavingPerPod: usdPerHour(0.3),
    leastNodeAge: durationMs(4_000),
    mostMovesAnHour: 5,
    restAfterMove: durationMs(6_000),
    mostExtraNodes: 7,
  },
})

type Which = keyof typeof CALM_ANNOTATION

function calmWith(which: Which, text: string) {
  return calmOf(nodePool({ meta: { annotations: { [CALM_ANNOTATION[which]]: text } } }), SETTINGS)
}

describe('what a pool asks of moves', () => {
  it('is what the app asks of all of them, where the pool asks nothing', () => {
    expect(calmOf(nodePool(), SETTINGS)).toEqual(SETTINGS.calm)
  })

  it('is nothing where nobody asks', () => {
    const none = {
      isFrozen: false,
      leastSavingShare: 0,
      leastSavingPerPod: usdPerHour(0),
      leastNodeAge: durationMs(0),
      mostMovesAnHour: 0,
      restAfterMove: durationMs(0),
      mostExtraNodes: 0,
    }
    expect(calmOf(nodePool(), settings())).toEqual(none)
  })

  it.each<[which: Which, text: string, want: unknown]>([
    ['frozen', 'true', true],
    ['leastSavingShare', '0.5', 0.5],
    ['leastSavingShare', '0', 0],
    ['leastSavingPerPod', '0.01', usdPerHour(0.01)],
    ['leastNodeAge', '1h', durationMs(3_600_000)],
    ['leastNodeAge', '0s', durationMs(0)],
    ['mostMovesAnHour', '12', 12],
    ['mostMovesAnHour', '0', 0],
    ['restAfterMove', '30m', durationMs(1_800_000)],
    ['restAfterMove', '168h', durationMs(604_800_000)],
    ['restAfterMove', '0s', durationMs(0)],
    ['mostExtraNodes', '1', 1],
  ])('goes before what the app asks: %s %s', (which, text, want) => {
    const key = which === 'frozen' ? 'isFrozen' : which
    expect(calmWith(which, text)).toEqual({ ...SETTINGS.calm, [key]: want })
  })

  it.each<[which: Which, text: string, rule: string]>([
    ['frozen', 'yes', 'true or false'],
    ['leastSavingShare', '1', 'a number from 0 to below 1'],
    ['leastSavingShare', 'half', 'a number from 0 to below 1'],
    ['leastSavingPerPod', '1000', 'dollars an hour, from 0 to below 1000'],
    ['leastNodeAge', 'soon', 'a duration such as 1h'],
    ['leastNodeAge', '-1h', 'a duration such as 1h'],
    ['mostMovesAnHour', 'few', 'a whole number from 0 to 1000'],
    ['mostMovesAnHour', '1.5', 'a whole number from 0 to 1000'],
    ['mostMovesAnHour', '-1', 'a whole number from 0 to 1000'],
    ['mostMovesAnHour', '1001', 'a whole number from 0 to 1000'],
    ['restAfterMove', 'long', 'a duration of at most 168h, such as 30m'],
    ['restAfterMove', '-5m', 'a duration of at most 168h, such as 30m'],
    ['mostExtraNodes', 'one', 'a whole number from 0 to 1000'],
    ['restAfterMove', '168h1s', 'a duration of at most 168h, such as 30m'],
  ])('is refused with the rule where nobody can read it: %s %s', (which, text, rule) => {
    const annotation = CALM_ANNOTATION[which]
    expect(calmWith(which, text)).toEqual({ annotation, problem: `metadata.annotations ${annotation}: must be ${rule}` })
  })
})

describe('the least saving of a move', () => {
  const candidates = [{ ...weighed({ pool: nodePool(), price: 1 }), pods: [pod({ name: 'p' }), pod({ name: 'q' })] }]
  const verdict = (dollars: number) =>
    tooSmall({ reason: 'Underutilized', candidates, replacements: [], saving: usdPerHour(dollars) }, SETTINGS)

  it('is asked for each pod that moves', () => {
    expect(verdict(0.6)).toBeUndefined()
    expect(verdict(0.59)).toBe('the move saves $0.59/h (pods moved: 2), and nodepool default asks for $0.60/h')
  })
})

/** Why a machine of a pool with this annotation may not be moved. */
function reasonWith(freeze: string | undefined, forbidden?: string) {
  const pool = nodePool(freeze === undefined ? {} : { meta: { annotations: { [CALM_ANNOTATION.frozen]: freeze } } })
  return frozenBy(weighed({ pool }), fleetSnapshotOf(snapshot({ settings: settings() })), forbidden)
}

describe('a machine that may not be moved', () => {
  it('has no reason unless something forbids its move', () => {
    expect(reasonWith(undefined)).toBeUndefined()
    expect(reasonWith('false')).toBeUndefined()
  })

  it.each<[what: string, freeze: string | undefined, forbidden: string | undefined, code: string, message: string]>([
    ['a ban on new nodes', 'true', 'Azure refuses', 'DISRUPTION.FROZEN', 'Azure refuses'],
    [
      'a frozen pool',
      'true',
      undefined,
      'DISRUPTION.FROZEN',
      'disruption of nodepool default is frozen by DISRUPTION_FREEZE or by the annotation joiner.dev/freeze-disruption',
    ],
    [
      'a setting that nobody can read',
      'yes',
      undefined,
      'DISRUPTION.CALM',
      `nodepool default: metadata.annotations ${CALM_ANNOTATION.frozen}: must be true or false; its nodes stay until that is corrected`,
    ],
  ])('names %s', (_, freeze, forbidden, code, message) => expect(reasonWith(freeze, forbidden)).toMatchObject({ code, message }))
})
