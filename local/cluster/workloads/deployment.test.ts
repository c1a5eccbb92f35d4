import { describe, expect, it } from 'vitest'
import { type Deployment, objectKeyOf, type ReplicaSet } from '../client/objects.ts'
import { activePods, BEGIN, letGo, type MemoryWorkloads, memoryWorkloads, works } from '../testing/memoryWorkloads.ts'
import { startDeployments } from './deployment.ts'
import { startReplicaSets } from './replicaSet.ts'

const WEB = 'default/web'
const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image }] },
})

function deployment(spec: object = {}, metadata: object = {}): Deployment {
  return {
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'uid-web',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: template('one'), ...spec },
  } as unknown as Deployment
}

/** A Deployment after the first work of the controllers of Deployments and of ReplicaSets. */
async function deployed(spec: object = {}, metadata: object = {}): Promise<MemoryWorkloads> {
  const world = memoryWorkloads()
  await startReplicaSets(world.context)
  await startDeployments(world.context)
  world.deployments.put(deployment(spec, metadata))
  await world.settle()
  return world
}

/** Moves the clock on by a second, removes the terminating pods and makes the others run. */
async function turn(world: MemoryWorkloads): Promise<void> {
  world.pass(1_000)
  letGo(world)
  for (const pod of activePods(world)) if (pod.spec.nodeName === undefined) works(world, pod)
  await world.settle()
}

async function change(world: MemoryWorkloads, spec: object): Promise<void> {
  world.pass(1_000)
  world.edit(world.deployments, WEB, { spec })
  await world.settle()
}

const sets = (world: MemoryWorkloads): readonly ReplicaSet[] => [...world.replicaSets.items()]
/** Image and size of each ReplicaSet. */
const sizes = (world: MemoryWorkloads) => sets(world).map(({ spec }) => [spec.template?.spec?.containers[0]?.image, spec.replicas])
const images = (world: MemoryWorkloads) => activePods(world).map(({ spec }) => spec.containers[0]?.image)
const revisionOf = ({ metadata }: ReplicaSet | Deployment) => metadata.annotations?.['deployment.kubernetes.io/revision']
const setOf = (world: MemoryWorkloads, image: string) => sets(world).find(({ spec }) => spec.template?.spec?.containers[0]?.image === image)

describe('a new deployment', () => {
  it('has one set with all its pods, found by the hash of the template, and tells so', async () => {
    const annotations = {
      team: 'blue',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'deployment.kubernetes.io/revision': '7',
    }
    const world = await deployed({ minReadySeconds: 5 }, { annotations })
    const [set] = sets(world)
    const hash = set?.metadata.labels?.['pod-template-hash'] ?? ''
    expect(hash).toMatch(/^[a-z0-9]{10}$/)
    expect(set?.metadata).toMatchObject({
      name: `web-${hash}`,
      namespace: 'default',
      labels: { app: 'web', 'pod-template-hash': hash },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'uid-web', controller: true, blockOwnerDeletion: true },
      ],
    })
    expect(set?.metadata.annotations).toEqual({ team: 'blue', 'deployment.kubernetes.io/revision': '1' })
    expect(set?.spec).toMatchObject({
      replicas: 3,
      minReadySeconds: 5,
      selector: { matchLabels: { app: 'web', 'pod-template-hash': hash } },
      template: { metadata: { labels: { app: 'web', 'pod-template-hash': hash } } },
    })
    expect(world.events).toEqual([`Normal ScalingReplicaSet Deployment/web: Scaled up replica set web-${hash} from 0 to 3`])
    expect(revisionOf(world.deployments.get(WEB) ?? deployment())).toBe('1')
    expect(activePods(world)).toHaveLength(3)
  })

  it('has one pod where it does not say how many, and no seconds to wait where it names none', async () => {
    const world = await deployed({ replicas: undefined })
    expect(sizes(world)).toEqual([['one', 1]])
    expect(sets(world)[0]?.spec).not.toHaveProperty('minReadySeconds')
  })

  it('that is refused its set says so and tries again', async () => {
    const world = memoryWorkloads()
    world.refuse('POST replicasets')
    const queue = await startDeployments(world.context)
    world.deployments.put(deployment())
    await world.settle()
    queue.close()
    expect(world.lines).toEqual([expect.stringMatching(/^deployment default\/web: .*not you.*; again in 50 ms$/)])
    expect(world.events).toEqual([])
  })

  it('says in its status how far it is, and that all is there in the end', async () => {
    const world = await deployed()
    const status = () => world.deployments.get(WEB)?.status
    expect(status()).toMatchObject({ replicas: 3, updatedReplicas: 3, unavailableReplicas: 3, observedGeneration: 1 })
    await turn(world)
    expect(status()).toMatchObject({ replicas: 3, readyReplicas: 3, availableReplicas: 3, unavailableReplicas: 0 })
    expect(status()?.conditions?.map(({ type, reason }) => [type, reason])).toEqual([
      ['Available', 'MinimumReplicasAvailable'],
      ['Progressing', 'NewReplicaSetAvailable'],
    ])
  })

  it('writes nothing more while nothing changes', async () => {
    const world = await deployed()
    await turn(world)
    const before = world.writes.length
    world.edit(world.deployments, WEB, { metadata: { labels: { touched: 'yes' } } })
    world.pass(60_000)
    await world.settle()
    expect(world.writes).toHaveLength(before)
  })
})

describe('a new template', () => {
  it.each([
    { limits: { maxSurge: 1, maxUnavailable: 0 }, atLeast: 3, atMost: 4 },
    { limits: { maxSurge: 0, maxUnavailable: 1 }, atLeast: 2, atMost: 3 },
    { limits: { maxSurge: '100%', maxUnavailable: 0 }, atLeast: 3, atMost: 6 },
    { limits: { maxSurge: 0, maxUnavailable: '100%' }, atLeast: 0, atMost: 3 },
  ])('takes the place of the old one within %j', async ({ limits, atLeast, atMost }) => {
    const world = await deployed({ strategy: { type: 'RollingUpdate', rollingUpdate: limits } })
    await turn(world)
    await change(world, { template: template('two') })
    let least = 3
    let most = 3
    for (let step = 0; step < 10; step++) {
      const active = activePods(world)
      least = Math.min(least, active.filter(({ spec }) => spec.nodeName !== undefined).length)
      most = Math.max(most, active.length)
      await turn(world)
    }
    expect({ least, most }).toEqual({ least: atLeast, most: atMost })
    expect(images(world)).toEqual(['two', 'two', 'two'])
    expect(sizes(world)).toEqual([
      ['one', 0],
      ['two', 3],
    ])
    expect(revisionOf(world.deployments.get(WEB) ?? deployment())).toBe('2')
    expect(world.deployments.get(WEB)?.status).toMatchObject({ replicas: 3, updatedReplicas: 3, availableReplicas: 3 })
  })

  it('tells of each step up and down', async () => {
    const world = await deployed({ strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }, replicas: 1 })
    await turn(world)
    await change(world, { template: template('two') })
    await turn(world)
    await turn(world)
    const [one = '', two = ''] = ['one', 'two'].map((image) => setOf(world, image)?.metadata.name)
    expect(world.events.map((event) => event.replace('Normal ScalingReplicaSet Deployment/web: Scaled ', ''))).toEqual([
      `up replica set ${one} from 0 to 1`,
      `up replica set ${two} from 0 to 1`,
      `down replica set ${one} from 1 to 0`,
    ])
  })

  it('that was there before uses its set again, with the highest revision', async () => {
    const world = await deployed()
    for (const image of ['two', 'one']) {
      await turn(world)
      await change(world, { template: template(image) })
      for (let step = 0; step < 6; step++) await turn(world)
    }
    expect(sizes(world)).toEqual([
      ['one', 3],
      ['two', 0],
    ])
    expect(sets(world).map(revisionOf)).toEqual(['3', '2'])
    expect(revisionOf(world.deployments.get(WEB) ?? deployment())).toBe('3')
  })

  it('of a deployment that recreates starts when the last old pod is gone, and not before', async () => {
    const world = await deployed({ strategy: { type: 'Recreate' } })
    await turn(world)
    await change(world, { template: template('two') })
    expect(activePods(world)).toEqual([])
    expect(sizes(world)).toEqual([
      ['one', 0],
      ['two', 0],
    ])
    const [last, ...others] = [...world.pods.items()]
    for (const pod of others) world.pods.remove(objectKeyOf(pod))
    await world.settle()
    expect(images(world)).toEqual([])
    if (last !== undefined) world.pods.remove(objectKeyOf(last))
    await world.settle()
    expect(images(world)).toEqual(['two', 'two', 'two'])
  })

  it('of a deployment that recreates does not wait for pods that have ended', async () => {
    const world = await deployed({ strategy: { type: 'Recreate' } })
    await turn(world)
    for (const pod of activePods(world))
      world.edit(world.pods, objectKeyOf(pod), { metadata: { finalizers: ['a/b'] }, status: { phase: 'Failed' } })
    world.edit(world.deployments, WEB, { spec: { template: template('two'), replicas: undefined } })
    await world.settle()
    await turn(world)
    expect(images(world)).toEqual(['two', 'two', 'two'])
  })
})

describe('a deployment that is scaled', () => {
  it('changes its set alone, in one step', async () => {
    const world = await deployed()
    await turn(world)
    await change(world, { replicas: 8 })
    expect(sizes(world)).toEqual([['one', 8]])
    await turn(world)
    await change(world, { replicas: 0 })
    expect(sizes(world)).toEqual([['one', 0]])
    expect(activePods(world)).toEqual([])
    expect(world.events.map((event) => event.split(' from ')[1])).toEqual(['0 to 3', '3 to 8', '8 to 0'])
  })

  it('while it is paused makes no set for a new template, and still scales the newest that has pods', async () => {
    const world = await deployed({ strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } })
    await turn(world)
    await change(world, { template: template('two') })
    expect(sizes(world)).toEqual([
      ['one', 3],
      ['two', 1],
    ])
    await change(world, { paused: true, template: template('three') })
    // The surge of the paused rollout stays. It goes with the last step of the rollout.
    expect(sizes(world)).toEqual([
      ['one', 3],
      ['two', 1],
    ])
    await change(world, { replicas: 10 })
    expect(sizes(world)).toEqual([
      ['one', 3],
      ['two', 8],
    ])
    await change(world, { replicas: 2 })
    expect(sizes(world)).toEqual([
      ['one', 2],
      ['two', 0],
    ])
    await change(world, { replicas: 0 })
    await change(world, { replicas: 4 })
    expect(sizes(world)).toEqual([
      ['one', 0],
      ['two', 4],
    ])
    await change(world, { replicas: 2, paused: null })
    for (let step = 0; step < 8; step++) await turn(world)
    expect(images(world)).toEqual(['three', 'three'])
  })

  it('and paused before its first set has none', async () => {
    const world = await deployed({ paused: true })
    expect(sets(world)).toEqual([])
    expect(world.deployments.get(WEB)?.status).toMatchObject({ replicas: 0, unavailableReplicas: 3 })
  })

  it('does not tell of a step that was not taken, since its set is gone', async () => {
    const world = await deployed()
    world.refuse('PATCH replicasets', { code: 404, reason: 'NotFound', message: 'gone' })
    await change(world, { replicas: 8 })
    expect(world.events).toHaveLength(1)
    expect(world.lines).toEqual([])
  })
})

describe('sets of old templates', () => {
  const rolled = async (world: MemoryWorkloads, names: readonly string[]) => {
    for (const image of names) {
      await turn(world)
      await change(world, { template: template(image) })
      for (let step = 0; step < 6; step++) await turn(world)
    }
  }

  it.each([
    [0, ['five']],
    [2, ['three', 'four', 'five']],
    [undefined, ['one', 'two', 'three', 'four', 'five']],
  ])('are kept as the history says: %s', async (revisionHistoryLimit, kept) => {
    const world = await deployed({ revisionHistoryLimit })
    await rolled(world, ['two', 'three', 'four', 'five'])
    expect(sizes(world).map(([image]) => image)).toEqual(kept)
  })

  it('are ten where the history is not limited', async () => {
    const world = await deployed({ replicas: 1 })
    await rolled(
      world,
      Array.from({ length: 12 }, (_, index) => `v${index}`),
    )
    expect(sizes(world).map(([image]) => image)).toEqual(Array.from({ length: 11 }, (_, index) => `v${index + 1}`))
  })

  it('go oldest first, by their age and not by the order in which they are known', async () => {
    const world = await deployed({ revisionHistoryLimit: 1, replicas: 0 })
    await change(world, { template: template('two') })
    const [first] = sets(world)
    if (first === undefined) throw new Error('there is a first set')
    // The first set is now the last in the store.
    world.replicaSets.remove(objectKeyOf(first))
    world.replicaSets.put(first)
    await change(world, { template: template('three') })
    expect(
      sizes(world)
        .map(([image]) => image)
        .sort(),
    ).toEqual(['three', 'two'])
  })

  it('stay while they have pods, or ought to', async () => {
    const world = await deployed({ revisionHistoryLimit: 0, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } })
    await turn(world)
    await change(world, { template: template('two') })
    expect(sizes(world)).toEqual([
      ['one', 3],
      ['two', 1],
    ])
    // The new pod works, so an old pod may go: the old set shrinks but is not empty yet.
    await turn(world)
    expect(sizes(world)[0]).toEqual(['one', 2])
    for (let step = 0; step < 8; step++) await turn(world)
    expect(sizes(world)).toEqual([['two', 3]])
  })

  it('stay while their last pods are counted, though they want none', async () => {
    const world = await deployed({ revisionHistoryLimit: 0, strategy: { type: 'Recreate' } })
    await turn(world)
    // The controller of ReplicaSets cannot delete the pods.
    world.refuse('DELETE pods', { code: 500, reason: 'InternalError', message: 'later' })
    await change(world, { template: template('two') })
    expect(sizes(world)).toEqual([
      ['one', 0],
      ['two', 0],
    ])
    expect(world.writes.filter((write) => write.startsWith('DELETE replicasets'))).toEqual([])
  })
})

describe('a deployment that goes', () => {
  it('makes nothing more', async () => {
    const world = await deployed()
    await turn(world)
    const before = world.writes.length
    world.edit(world.deployments, WEB, {
      metadata: { deletionTimestamp: new Date(BEGIN).toISOString(), finalizers: ['foregroundDeletion'] },
      spec: { template: template('two'), replicas: 9 },
    })
    await world.settle()
    expect(sizes(world)).toEqual([['one', 3]])
    // The controller still writes the status.
    expect(world.writes.slice(before)).toEqual(['PATCH deployments/web'])
    world.deployments.remove(WEB)
    await world.settle()
    expect(world.writes).toHaveLength(before + 1)
  })

  it('leaves sets alone that are of others', async () => {
    const world = await deployed()
    const [own] = sets(world)
    const metadata = { name: 'other', namespace: 'default', uid: 'other', resourceVersion: '1', creationTimestamp: '2025-01-01T00:00:00Z' }
    world.replicaSets.put({ ...own, metadata, spec: { ...own?.spec, replicas: 2 } } as ReplicaSet)
    await change(world, { replicas: 1, revisionHistoryLimit: 0 })
    expect(world.replicaSets.get('default/other')?.spec.replicas).toBe(2)
    expect(own && world.replicaSets.get(objectKeyOf(own))?.spec.replicas).toBe(1)
  })
})
