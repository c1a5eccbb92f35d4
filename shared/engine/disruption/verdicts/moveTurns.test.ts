import { describe, expect, it } from 'vitest'
import { fleet } from '../../../../bench/disruption/fleet.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import type { Decision } from '../../../model/decision.ts'
import type { DisruptionCursor } from '../../../model/disruptionCursor.ts'
import { objectKey, uid } from '../../../model/ids.ts'
import { durationMs, later } from '../../../model/units.ts'
import { decide, loadCluster } from '../../loadedCluster.ts'

const NODES = 700

/** The decisions until every machine has had its turn. Nothing is carried out between them. */
function roundOf(given: ClusterSnapshot): readonly Decision[] {
  const looks: Decision[] = []
  let turn: DisruptionCursor | undefined
  do {
    const decided = decide({ ...given, ...(turn === undefined ? {} : { disruptionCursor: turn }) })
    looks.push(decided)
    turn = decided.turn
  } while (turn !== undefined && looks.length < NODES)
  return looks
}

function waitingIn({ reasons }: Decision): readonly string[] {
  return reasons.flatMap(({ code, subject }) => (code === 'DISRUPTION.DEADLINE' ? [subject.name] : []))
}

describe('turns', () => {
  const full = fleet({ nodes: NODES, fill: 0.97, isSpread: false, isEven: true })
  const looks = roundOf(full)

  it('come to every machine within one round', () => {
    const all = full.objects.nodeClaim.map(({ name }) => String(name)).sort()
    const tried = looks.map((look) => all.filter((name) => !waitingIn(look).includes(name)))
    expect(looks.length).toBeGreaterThan(2)
    expect(tried.flat().sort()).toEqual(all)
    for (const each of tried) expect(each.length).toBeGreaterThan(0)
  })

  it('ask for another look soon while machines wait for theirs', () => {
    const soon = later(full.takenAt, durationMs(1000))
    expect(looks.map(({ wakeAt }) => wakeAt !== undefined && wakeAt <= soon)).toEqual(looks.map(({ turn }) => turn !== undefined))
  })

  it('go on behind the last machine though it is gone', () => {
    const [first] = looks
    const nodeClaim = full.objects.nodeClaim.filter(({ name }) => name !== first?.turn?.claim)
    const next = decide({ ...full, objects: { ...full.objects, nodeClaim }, ...(first?.turn && { disruptionCursor: first.turn }) })
    const before = full.objects.nodeClaim
      .map(({ name }) => String(name))
      .filter((name) => first !== undefined && !waitingIn(first).includes(name))
    expect(waitingIn(next)).toEqual(expect.arrayContaining(before.filter((name) => name !== first?.turn?.claim)))
  })

  it('are the same in a cluster that stayed loaded, while pods change', () => {
    const { objects, ...context } = fleet({ nodes: 280, fill: 0.93, isSpread: true })
    const cluster = loadCluster(objects)
    const pods = new Map(objects.pod.map((pod) => [pod.key, pod]))
    let turn: DisruptionCursor | undefined
    for (const pod of objects.pod.slice(0, 3)) {
      const key = objectKey('default', `${pod.key.split('/')[1]}-came`)
      const came = { ...pod, key, uid: uid(key) }
      cluster.apply({ put: { pod: [came] }, removed: { pod: [pod.key] } })
      pods.delete(pod.key)
      pods.set(key, came)
      const now = { ...context, ...(turn === undefined ? {} : { disruptionCursor: turn }) }
      const kept = cluster.decide(now)
      expect(JSON.stringify(kept)).toBe(JSON.stringify(decide({ ...now, objects: { ...objects, pod: [...pods.values()] } })))
      turn = kept.turn
    }
  })

  it('are over at once in a cluster that one decision can try', () => {
    expect(decide(fleet({ nodes: 40, fill: 0.5, isSpread: false })).turn).toBeUndefined()
  })
})
