import { describe, expect, it } from 'vitest'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { objectKey, uid } from '../../shared/model/ids.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { randomSnapshot } from '../generators/randomSnapshot.ts'
import { outcomeOf } from './randomCase.ts'

const SHARE = 'share'

/** The same cluster in which these pending pods mount one share. Its driver has no limit, and every node can reach it. */
function withShares(given: ClusterSnapshot, mounts: (pod: Pod, index: number) => boolean): ClusterSnapshot {
  const { objects } = given
  const withShare = (each: Pod, index: number): Pod =>
    each.nodeName === undefined && mounts(each, index) ? { ...each, volumes: [...each.volumes, { kind: 'claim', claimName: SHARE }] } : each
  const claims = [...new Set(objects.pod.map(({ key }) => key.slice(0, key.indexOf('/'))))].map((namespace) => ({
    key: objectKey(namespace, SHARE),
    uid: uid(`uid-${SHARE}-${namespace}`),
    volumeName: SHARE,
    deleted: false,
  }))
  return {
    ...given,
    objects: {
      ...objects,
      pod: objects.pod.map(withShare),
      persistentVolumeClaim: [...objects.persistentVolumeClaim, ...claims],
      persistentVolume: [...objects.persistentVolume, { name: SHARE, uid: uid(`uid-${SHARE}`), driver: 'file.csi.azure.com' }],
    },
  }
}

describe('a share of a driver without a limit', () => {
  it('that every pod mounts changes neither who has a place nor what it costs', () => {
    for (let seed = 1; seed <= 150; seed++) {
      const given = randomSnapshot(seed)
      const plain = outcomeOf(given)
      const shared = outcomeOf(withShares(given, () => true))
      expect({ seed, price: shared.price, refused: [...shared.refused.keys()].sort() }).toEqual({
        seed,
        price: plain.price,
        refused: [...plain.refused.keys()].sort(),
      })
    }
  })

  it.each([120, 600, 1_500])('that a tenth of %i pods mounts makes the plan no dearer', (count) => {
    const mixed = Array.from({ length: count }, (_, index) =>
      pod({ name: `p${index}`, cpus: [0.25, 0.5, 1, 1.5, 3][index % 5] ?? 1, memoryGib: [1, 0.5, 6, 2, 1, 12, 4][index % 7] ?? 1 }),
    )
    const given = snapshot({ objects: { pod: mixed } })
    const plain = outcomeOf(given)
    const shared = outcomeOf(withShares(given, (_, index) => index % 10 === 3))
    expect(shared.refused.size).toBe(0)
    expect(shared.price).toBeLessThanOrEqual(plain.price * 1.01)
  })
})
