import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, NOW, SECOND } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import { type PodShape, pod } from '../../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../../test/builders/snapshot.ts'
import type { SchedulerRefusal, WatchedPod } from '../../../model/claimRefusal.ts'
import { objectKey, uid } from '../../../model/ids.ts'
import { refOf } from '../../../model/pod.ts'
import type { EpochMs } from '../../../model/units.ts'
import { schedulingInputs } from '../model/pods/podsToPlace.ts'
import { decideProvisioning } from '../planningState.ts'

const UP = node()
const ODD = pod({ name: 'odd', unschedulableSince: ago(HOUR) })
const NO_VOLUMES = { persistentVolumeClaim: [], persistentVolume: [], storageClass: [] }
const INPUTS = schedulingInputs(NO_VOLUMES).hashOf(ODD)

function claimUp(since: EpochMs) {
  return nodeClaim({ status: { conditions: [condition('Initialized', { lastTransitionAt: since })] } })
}

/** The cluster has one node with room. It was initialized an hour ago. */
function decide(objects: SnapshotShape['objects'] = {}, known: readonly SchedulerRefusal[] = [], more: SnapshotShape = {}) {
  const decision = decideProvisioning(
    snapshot({ ...more, objects: { node: [UP], nodeClaim: [claimUp(ago(HOUR))], pod: [ODD], ...objects }, schedulerRefusals: known }),
  )
  return { ...decision, kinds: decision.actions.map(({ kind }) => kind) }
}

function watched(since: EpochMs, begunAt = since, more: Partial<SchedulerRefusal> = {}): SchedulerRefusal {
  const watched: WatchedPod = { begunAt, place: { node: UP.name, since } }
  return { pod: refOf(ODD), inputs: INPUTS, watched, ...more }
}

function bound(name: string, createdAt: EpochMs, shape: PodShape = {}) {
  return pod({ name, cpus: 0.1, phase: 'Running', nodeName: 'other', createdAt, scheduledAt: createdAt, ...shape })
}

const OTHER = node({ name: 'other', taints: [{ key: 'a', effect: 'NoSchedule' }] })

describe('a pod with room on a node that is up', () => {
  it('is watched once it and the node have waited for a minute, and another decision follows then', () => {
    expect(decide().schedulerRefusals).toEqual([watched(NOW)])
    const young = { nodeClaim: [claimUp(ago(20 * SECOND))] }
    expect(decide(young)).toMatchObject({ wakeAt: hence(40 * SECOND) })
    expect(decide(young).schedulerRefusals).toBeUndefined()
    const fresh = pod({ name: 'odd', unschedulableSince: ago(10 * SECOND) })
    expect(decide({ pod: [fresh] })).toMatchObject({ wakeAt: hence(50 * SECOND) })
  })

  it('keeps its place while it is watched, and no machine is made for it', () => {
    const { kinds, wakeAt, schedulerRefusals } = decide({}, [watched(ago(2 * MINUTE))])
    expect(kinds).toEqual(['nominate'])
    expect(schedulerRefusals).toEqual([watched(ago(2 * MINUTE))])
    expect(wakeAt).toBe(hence(3 * MINUTE))
  })

  const LATER = bound('later', ago(MINUTE))
  const FIVE = [watched(ago(5 * MINUTE))]
  it.each<[sentence: string, pods: readonly ReturnType<typeof bound>[], known: readonly SchedulerRefusal[], isRefused: boolean]>([
    ['is refused after five minutes, if a pod that came later is bound', [LATER], FIVE, true],
    ['is not refused before', [LATER], [watched(ago(5 * MINUTE - 1))], false],
    ['is not refused while nothing else is bound', [], FIVE, false],
    ['is not refused while only earlier pods are bound', [bound('earlier', ago(6 * MINUTE), { scheduledAt: ago(MINUTE) })], FIVE, false],
    ['is not refused while only more important pods are bound', [bound('high', ago(MINUTE), { priority: 1 })], FIVE, false],
    ['is refused after half an hour in any case', [], [watched(ago(5 * MINUTE), ago(30 * MINUTE))], true],
    ['is not refused on a node that takes other pods', [bound('same', ago(MINUTE), { nodeName: UP.name })], FIVE, false],
  ])('%s', (_sentence, pods, known, isRefused) => {
    const decided = decide({ node: [UP, OTHER], pod: [ODD, ...pods] }, known)
    expect(decided.schedulerRefusals?.[0]?.refused).toEqual(isRefused ? { node: UP.name, times: 1, until: hence(30 * MINUTE) } : undefined)
    // The next decision reads the text of the scheduler, and leaves the pod out.
    if (isRefused) expect(decided.wakeAt).toBe(NOW)
  })

  it('is refused for twice as long each time, and for a day at most', () => {
    const pauses = [1, 2, 5, 6, 60].map((times) => {
      const before = { node: UP.name, times, until: ago(MINUTE), message: 'no' }
      const [after] = decide({}, [watched(ago(MINUTE), ago(30 * MINUTE), { refused: before })]).schedulerRefusals ?? []
      return [after?.refused?.times, ((after?.refused?.until ?? 0) - NOW) / HOUR]
    })
    expect(pauses).toEqual([
      [2, 1],
      [3, 2],
      [6, 16],
      [7, 24],
      [61, 24],
    ])
  })

  it('is watched anew where it is planned on another node, or with another spec', () => {
    const elsewhere: SchedulerRefusal = {
      ...watched(NOW, ago(9 * MINUTE)),
      watched: { begunAt: ago(9 * MINUTE), place: { node: OTHER.name, since: ago(9 * MINUTE) } },
    }
    expect(decide({}, [elsewhere]).schedulerRefusals).toEqual([watched(NOW, ago(9 * MINUTE))])
    expect(decide({}, [{ ...watched(ago(9 * MINUTE)), inputs: 'other' }]).schedulerRefusals).toEqual([watched(NOW)])
  })

  it('is not watched if its rules are about pods whose machines are still to come', () => {
    const rule = {
      topologyKey: 'kubernetes.io/hostname',
      selector: { matchLabels: { app: 'a' }, matchExpressions: [] },
      namespaces: [],
      matchLabelKeys: [],
      mismatchLabelKeys: [],
    }
    const apart = pod({
      name: 'odd',
      labels: { app: 'a' },
      podAntiAffinity: { required: [rule], preferred: [] },
      unschedulableSince: ago(HOUR),
    })
    const large = pod({ name: 'large', cpus: 7, unschedulableSince: ago(HOUR) })
    expect(decide({ pod: [apart, large] }).schedulerRefusals).toBeUndefined()
    expect(decide({ pod: [apart] }).schedulerRefusals).toHaveLength(1)
    expect(decide({ pod: [ODD, large] }).schedulerRefusals).toHaveLength(1)
  })

  it('of which kube-scheduler makes a volume is refused after half an hour only', () => {
    const withDisk = pod({ name: 'odd', volumes: [{ kind: 'claim', claimName: 'data' }], unschedulableSince: ago(HOUR) })
    const volumes = {
      ...NO_VOLUMES,
      persistentVolumeClaim: [
        { key: objectKey('default', 'data'), uid: uid('c'), storageClassName: 'disk', deleted: false, selectedNode: UP.name },
      ],
      storageClass: [
        {
          name: 'disk',
          uid: uid('d'),
          provisioner: 'disk.csi.azure.com',
          bindingMode: 'WaitForFirstConsumer' as const,
          isDefault: false,
          createdAt: 0,
          allowedTopologies: [],
        },
      ],
    }
    const entry = { ...watched(ago(9 * MINUTE)), inputs: schedulingInputs(volumes).hashOf(withDisk) }
    const objects = { ...volumes, node: [UP, OTHER], pod: [withDisk, LATER] }
    expect(decide(objects, [entry]).schedulerRefusals).toEqual([entry])
    const long = { ...entry, watched: { begunAt: ago(30 * MINUTE) } }
    expect(decide(objects, [long]).schedulerRefusals?.[0]?.refused).toBeDefined()
    const nominated = { ...withDisk, nominatedNodeName: UP.name, nominatedAt: ago(MINUTE) }
    expect(decide({ ...objects, pod: [nominated] }, [entry]).schedulerRefusals).toEqual([
      { ...entry, watched: { begunAt: ago(9 * MINUTE) } },
    ])
  })
})

describe('a pod that the scheduler has refused', () => {
  const refused = { node: UP.name, times: 1, until: hence(20 * MINUTE), message: '0/2 nodes are available' }
  const entry: SchedulerRefusal = { pod: refOf(ODD), inputs: INPUTS, refused }

  it('gets no place, and its reason has the text of the scheduler', () => {
    const { kinds, reasons, schedulerRefusals, wakeAt } = decide({}, [entry])
    expect(kinds).toEqual(['publish'])
    expect(reasons).toMatchObject([
      { code: 'POD.REFUSED_BY_SCHEDULER', subject: { name: ODD.key }, message: expect.stringContaining('"0/2 nodes are available"') },
    ])
    expect([schedulerRefusals, wakeAt]).toEqual([[entry], refused.until])
  })

  it('is not told before its text is known, which is tried again soon', () => {
    const { message: _, ...unread } = refused
    const { kinds, reasons, wakeAt } = decide({}, [{ ...entry, refused: unread }])
    expect([kinds, reasons.length, wakeAt]).toEqual([[], 1, hence(10 * SECOND)])
  })

  it('is planned again after its time, and its refusals are not forgotten', () => {
    const past = { ...entry, refused: { ...refused, until: NOW } }
    expect(decide({ node: [], nodeClaim: [] }, [past])).toMatchObject({ kinds: ['createClaim'], schedulerRefusals: [past] })
  })

  it('is planned again at once if its spec or its claims change', () => {
    expect(decide({ pod: [{ ...ODD, priority: 7 }] }, [entry]).kinds).toEqual(['nominate'])
    const withClaim = pod({ name: 'odd', volumes: [{ kind: 'claim', claimName: 'data' }], unschedulableSince: ago(HOUR) })
    const claim = { key: objectKey('default', 'data'), uid: uid('c'), volumeName: 'v', deleted: false }
    const hashOf = (isBinding: boolean): string =>
      schedulingInputs({ ...NO_VOLUMES, persistentVolumeClaim: [{ ...claim, isBinding }] }).hashOf(withClaim)
    expect(hashOf(true)).not.toBe(hashOf(false))
    const selected = schedulingInputs({ ...NO_VOLUMES, persistentVolumeClaim: [{ ...claim, isBinding: false, selectedNode: UP.name }] })
    expect(selected.hashOf(withClaim)).toBe(hashOf(false))
  })

  it('holds up no replica of its own', () => {
    const even = { ...ODD, key: objectKey('default', 'even'), uid: uid('even') }
    const { actions, reasons } = decide({ pod: [ODD, even] }, [entry])
    expect(actions.find(({ kind }) => kind === 'nominate')).toMatchObject({ pods: [{ uid: 'even' }] })
    expect(reasons.map(({ subject }) => subject.name)).toEqual([ODD.key])
  })
})
