// Plays the purpose of an installation: pending pods get a machine, an evicted spot machine is replaced before it is gone, and in the end nothing is
// left.
import { join } from 'node:path'
import type { Node, Pod, Stored } from '../../local/cluster/client/objects.ts'
import { applyManifests } from '../../local/stack/applyManifests.ts'
import { repositoryRoot } from '../floors.ts'
import type { ReleaseParts } from './releaseParts.ts'
import { PATIENCE_MS, until } from './until.ts'
import { startWatcher } from './world/startCharts.ts'
import type { Platform } from './world/startInstallation.ts'
import type { World } from './world/startWorld.ts'
import { required } from './world/systemNodes.ts'

const EXAMPLES = join(repositoryRoot, 'examples', 'quickstart')
const PODS = '/api/v1/namespaces/default/pods?labelSelector=app%3Dinflate'
/** The notice time of Azure. The claim must end within half a minute, before the machine does. */
const NOTICE_MS = 30_000

type List<Item> = { readonly items: readonly Item[] }

/** Creates five pods that fit no node, and waits until they run. */
export async function bringNodes(world: World): Promise<string> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  await applyManifests(world.client, join(EXAMPLES, 'nodepool.yaml'), signal)
  await until('the pool is ready', () => poolProblem(world))
  await applyManifests(world.client, join(EXAMPLES, 'inflate.yaml'), AbortSignal.timeout(PATIENCE_MS))
  await until('five pods run', () => podsRun(world, 5))
  const nodes = await ownNodes(world)
  return `five pods were pending and run on ${nodes.length} ready ${nodes.length === 1 ? 'node' : 'nodes'} of Joiner's`
}

/** Evicts a spot machine. The watcher on the node gets the notice from its own metadata service. */
export async function loseSpotNode(world: World, platform: Platform, release: ReleaseParts): Promise<string> {
  const { azure } = world
  const own = new Set((await ownNodes(world)).map(({ metadata }) => metadata.name))
  const spot = azure.state().vms.find(({ priority, name }) => priority === 'Spot' && own.has(name))
  if (spot === undefined) throw new Error('none of the machines is a spot machine')
  const watcher = await startWatcher(world, platform, release, spot.name)
  const published = azure.eventGrid.published.length
  azure.evictSpot(spot.name, { noticeMs: NOTICE_MS })
  await until(`the claim of ${spot.name} ends`, async () => {
    const claims = await required<List<Stored & { readonly status?: { readonly nodeName?: string } }>>(
      world.client,
      'GET',
      '/apis/karpenter.sh/v1/nodeclaims',
    )
    const claim = claims.items.find(({ status }) => status?.nodeName === spot.name)
    return claim === undefined || claim.metadata.deletionTimestamp !== undefined ? undefined : `claim ${claim.metadata.name} still lives`
  })
  const notice = azure.eventGrid.published.slice(published).find(({ eventType }) => eventType === 'Joiner.NodeScheduledEvent')
  if (notice === undefined) throw new Error('the claim ends, but not because of the notice: the watcher published nothing')
  await until('all pods run elsewhere', async () => {
    const nodes = await ownNodes(world)
    return nodes.some(({ metadata }) => metadata.name === spot.name) ? `node ${spot.name} is still there` : podsRun(world, 5)
  })
  await watcher.stop()
  if (azure.eventGrid.deadLetters.length > 0)
    throw new Error(
      `events were not delivered: ${azure.eventGrid.deadLetters.map(({ subscription, reason }) => `${subscription}: ${reason}`).join('; ')}`,
    )
  return `the notice went by topic and subscription of the template; its pods run on another node`
}

type Pool = {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[] }
}

async function poolProblem({ client }: World): Promise<string | undefined> {
  const { status } = await required<Pool>(client, 'GET', '/apis/karpenter.sh/v1/nodepools/default')
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return ready?.status === 'True' ? undefined : (ready?.message ?? 'its status says nothing yet')
}

async function podsRun(world: World, count: number): Promise<string | undefined> {
  const pods = await required<List<Pod>>(world.client, 'GET', PODS)
  const run = pods.items.filter(({ status, metadata }) => status?.phase === 'Running' && metadata.deletionTimestamp === undefined)
  return run.length === count ? undefined : `${run.length} of ${count} pods run`
}

async function ownNodes(world: World): Promise<readonly Node[]> {
  const nodes = await required<List<Node>>(world.client, 'GET', '/api/v1/nodes?labelSelector=karpenter.sh%2Fnodepool%3Ddefault')
  return nodes.items
}
