import { describe, expect, it } from 'vitest'
import { fleet } from '../../../../bench/disruption/fleet.ts'
import { createRandom } from '../../../../test/agreement/random.ts'
import { SECOND } from '../../../../test/builders/clock.ts'
import { instanceType } from '../../../../test/builders/instanceType.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import { tightCluster } from '../../../../test/generators/tightCluster.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import type { Decision, DisruptionCursor } from '../../../model/decision.ts'
import { nodeClaimName, objectKey, uid } from '../../../model/ids.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import { durationMs, later } from '../../../model/units.ts'
import { decide, loadCluster } from '../../loadedCluster.ts'
import type { TryChanges, TryReads } from '../../scheduling/relocation/tryReads.ts'
import { byTurn, createTriedLooks, type Standing, type TriedLook } from './moveTurns.ts'

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

function movesOf({ actions }: Decision): number {
  return actions.filter(({ kind }) => kind === 'deleteClaim' || kind === 'startCommand').length
}

/** A cluster with a node that must not be disrupted, and a wait of ten seconds before a machine is quiet. */
function withKeptNode(seed: number): ClusterSnapshot {
  const { objects, ...rest } = tightCluster(createRandom(seed))
  const nodePool = objects.nodePool.map((pool) => ({
    ...pool,
    disruption: { ...pool.disruption, consolidateAfter: durationMs(10 * SECOND) },
  }))
  return { ...rest, objects: { ...objects, nodePool } }
}

describe('a look that found nothing to gain', () => {
  it('is made again once a node with room becomes quiet, though no object has changed', () => {
    const given = withKeptNode(17)
    const { objects, ...context } = given
    const kept = objects.node.find(({ meta }) => meta.annotations[ANNOTATION.doNotDisrupt] === 'true')
    const gone = objects.pod.filter(({ nodeName, owner }) => nodeName === kept?.name && owner?.kind !== 'DaemonSet').map(({ key }) => key)
    const nodeClaim = objects.nodeClaim.map((claim) =>
      claim.status.nodeName === kept?.name ? { ...claim, status: { ...claim.status, lastPodEventAt: context.takenAt } } : claim,
    )
    const cluster = loadCluster(objects)
    expect(movesOf(cluster.decide(context))).toBe(0)
    cluster.apply({ removed: { pod: gone }, put: { nodeClaim: nodeClaim.filter((claim, at) => claim !== objects.nodeClaim[at]) } })
    const changed = { ...objects, nodeClaim, pod: objects.pod.filter(({ key }) => !gone.includes(key)) }
    const moves = [0, 5, 11].map((seconds) => {
      const now = { ...context, takenAt: later(context.takenAt, durationMs(seconds * SECOND)) }
      const decision = cluster.decide(now)
      expect(JSON.stringify(decision)).toBe(JSON.stringify(decide({ ...now, objects: changed })))
      return movesOf(decision)
    })
    expect(moves).toEqual([0, 0, 1])
  })
  it('SV-17 is made again once a price changes, though no object has changed', () => {
    const dear = instanceType({ name: 'Standard_D8as_v6', cpus: 8, memoryGib: 32, price: 0.4, spotPrice: null })
    const withSmall = (price: number) =>
      snapshot({
        types: [instanceType({ name: 'Standard_D2as_v6', cpus: 2, memoryGib: 8, price, spotPrice: null }), dear],
        objects: {
          nodePool: [nodePool({ disruption: { consolidateAfter: durationMs(0), budgets: [{ nodes: '100%' }] } })],
          node: [node({ size: dear.name })],
          nodeClaim: [nodeClaim({ size: dear.name })],
          pod: [pod({ nodeName: 'joiner-default-aaaaa' })],
        },
      })
    const { objects, ...context } = withSmall(0.5)
    const cluster = loadCluster(objects)
    expect([1, 2].map(() => movesOf(cluster.decide(context)))).toEqual([0, 0])
    const { objects: _, ...cheaper } = withSmall(0.1)
    const decision = cluster.decide(cheaper)
    expect(JSON.stringify(decision)).toBe(JSON.stringify(decide({ ...cheaper, objects })))
    expect(movesOf(decision)).toBe(1)
  })
})

describe('a kept look', () => {
  const [first, second, third, other] = ['a', 'b', 'c', 'd'].map(machine) as [Machine, Machine, Machine, Machine]
  const ALL = [first, second, third, other]
  const LOOK: TriedLook = { now: [first, second], isLast: true, limits: 'default 2 0 0' }
  const STANDING: Standing = { goers: ALL, restless: [] }
  const RESULT = { reasons: [], waiting: [1] }

  /** The nodes that were asked for, by the changes that were asked. */
  function changes({ stands = true, hasSamePools = true }): TryChanges & { readonly moved: string[] } {
    const moved: string[] = []
    return {
      moved,
      stands(_, names) {
        moved.push(...names)
        return stands
      },
      hasSamePools: () => hasSamePools,
    }
  }

  function keptLook() {
    const looks = createTriedLooks()
    looks.find(LOOK, STANDING, undefined)
    looks.keep(LOOK, RESULT, READS)
    return looks
  }

  it('is found by a look at the same machines while nothing changes', () => {
    const looks = keptLook()
    expect(looks.find(LOOK, STANDING, changes({}))).toBe(RESULT)
    expect(looks.find({ ...LOOK, now: [...LOOK.now] }, { ...STANDING, goers: [...ALL] }, changes({}))).toBe(RESULT)
  })

  it.each<[sentence: string, look: TriedLook]>([
    ['at fewer machines', { ...LOOK, now: [first] }],
    ['at more machines', { ...LOOK, now: [first, second, third] }],
    ['at other machines after the first', { ...LOOK, now: [first, third] }],
    ['that begins at another machine', { ...LOOK, now: [third, second] }],
    ['at no machine', { ...LOOK, now: [] }],
    ['after which others have their turn', { ...LOOK, isLast: false }],
    ['under other limits', { ...LOOK, limits: 'default 1 0 0' }],
  ])('is not found by a look %s, and stays', (_, look) => {
    const looks = keptLook()
    expect(looks.find(look, STANDING, changes({}))).toBeUndefined()
    expect(looks.find(LOOK, STANDING, changes({}))).toBe(RESULT)
  })

  it('is not found while the pools may make other machines', () => {
    const looks = keptLook()
    expect(looks.find(LOOK, STANDING, changes({ hasSamePools: false }))).toBeUndefined()
    expect(looks.find(LOOK, STANDING, changes({}))).toBe(RESULT)
  })

  it.each<[sentence: string, standing: Standing, changed: TryChanges | undefined]>([
    ['no result stands', STANDING, undefined],
    ['a place has changed that its tries read', STANDING, changes({ stands: false })],
    ['one of its machines may not go any more', { ...STANDING, goers: [first, third, other] }, changes({})],
    ['one of its machines has to be quiet first', { ...STANDING, restless: [second] }, changes({})],
  ])('is forgotten once %s', (_, standing, changed) => {
    const looks = keptLook()
    expect(looks.find(LOOK, standing, changed)).toBeUndefined()
    expect(looks.find(LOOK, STANDING, changes({}))).toBeUndefined()
  })

  it.each<[sentence: string, standing: Partial<Standing>, moved: readonly string[]]>([
    ['may not go any more', { goers: [first, second, third] }, ['d']],
    ['has to be quiet first', { restless: [other] }, ['d']],
    ['may go before others now', { goers: [{ ...other, turn: { ...other.turn, rank: -1 } }, first, second, third] }, []],
    ['goes for another one', { goers: [first, second, third, machine('e')] }, ['d', 'e']],
  ])('stands or falls with the places when another machine %s', (_, standing, moved) => {
    const looks = keptLook()
    const asked = changes({})
    expect(looks.find(LOOK, { ...STANDING, ...standing }, asked)).toBe(RESULT)
    expect(asked.moved).toEqual(moved)
  })

  it('is the last one that began at its first machine', () => {
    const looks = keptLook()
    const longer = { ...LOOK, now: [first, second, third] }
    looks.keep(longer, { reasons: [], waiting: [] }, READS)
    expect(looks.find(longer, STANDING, changes({}))).toEqual({ reasons: [], waiting: [] })
    expect(looks.find(LOOK, STANDING, changes({}))).toBeUndefined()
  })

  it('goes when 512 others have been kept since', () => {
    const looks = createTriedLooks()
    const many = Array.from({ length: 513 }, (_, at) => machine(`n${at}`))
    const standing = { ...STANDING, goers: many.toSorted(byTurn) }
    looks.find(LOOK, standing, undefined)
    for (const each of many) looks.keep({ ...LOOK, now: [each] }, RESULT, READS)
    const found = many.map((each) => looks.find({ ...LOOK, now: [each] }, standing, changes({})))
    expect(found.flatMap((result, at) => (result === undefined ? [at] : []))).toEqual([0])
  })
})

type Machine = Standing['goers'][number]

const READS = {} as TryReads

function machine(node: string): Machine {
  return { trial: { node }, turn: { isDrifted: false, rank: 0, claim: nodeClaimName(node) }, machine: { name: node } }
}
