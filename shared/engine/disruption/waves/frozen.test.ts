import { describe, expect, it } from 'vitest'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { settings, snapshot } from '../../../../test/builders/snapshot.ts'
import { weighed } from '../../../../test/builders/weighed.ts'
import { CALM_ANNOTATION } from '../../../model/labels.ts'
import { fleetSnapshotOf } from '../../cluster/fleetSnapshot.ts'
import { frozenBy } from './frozen.ts'

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
