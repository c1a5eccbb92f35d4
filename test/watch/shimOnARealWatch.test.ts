import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ShimProcess, startShim } from '../../bench/shimProcess.ts'
import { until } from '../e2e/until.ts'
import { type ApiServerProxy, openApiServerProxy } from './apiServerProxy.ts'
import { type BusyPlane, CAN_START, startBusyPlane } from './busyPlane.ts'
import { NAMESPACES } from './fleet.ts'
import { CLUSTER, type Intake, startIntake } from './intake.ts'
import { createLoad, type Load } from './load.ts'
import { differences, digestsOfApp, digestsOfCluster, holes } from './verify.ts'

const LIMIT_MS = 10 * 60_000
/** The full size is `WATCH_PODS=20000 WATCH_NODES=1000 WATCH_CHANGES=30000`. */
const sizeOf = (name: string, fallback: number): number => Number(process.env[name] ?? fallback)
/** The limit of a wait. The default leaves room for a busy machine. A shorter one finds a broken shim sooner. */
const PATIENCE_MS = sizeOf('WATCH_PATIENCE_MS', 90_000)
const PODS = sizeOf('WATCH_PODS', 1_000)
const NODES = sizeOf('WATCH_NODES', 50)
const CHANGES = sizeOf('WATCH_CHANGES', 500)

const why = CAN_START ? '' : ' (skipped: not built; npm run controlplane -- --build-only)'

describe.skipIf(!CAN_START)(`the app's state equals a fresh list of a real API server${why}`, { timeout: LIMIT_MS }, () => {
  const signal = AbortSignal.timeout(LIMIT_MS)
  let busy: BusyPlane
  let proxy: ApiServerProxy
  let intake: Intake
  let load: Load
  let shim: ShimProcess

  beforeAll(async () => {
    busy = await startBusyPlane(NAMESPACES, signal)
    proxy = await openApiServerProxy(busy.connection)
    intake = await startIntake()
    load = createLoad(busy.client, { pods: PODS, nodes: NODES, seed: 1, runningEvery: 5 }, signal)
    await load.fill()
  }, LIMIT_MS)
  afterAll(async () => {
    await shim?.kill()
    await intake?.close()
    await proxy?.close()
    await busy?.close()
  }, LIMIT_MS)

  function start(): ShimProcess {
    const env = { JOINER_CLUSTER: CLUSTER, JOINER_ENDPOINT: intake.url, POD_NAME: 'shim-a', KUBERNETES_API_SERVER: proxy.url }
    return startShim({ program: 'shim/main.ts', env })
  }

  /** Compares at rest: the same objects with the same content, and no missing sequence number. */
  async function sameAsAFreshList(): Promise<void> {
    const cluster = await digestsOfCluster(busy.client, signal)
    const compared = async () => {
      const state = await intake.state()
      return differences(cluster, digestsOfApp(state)) ?? holes(state)
    }
    await Promise.race([until(compared, PATIENCE_MS), shim.failed])
    expect(cluster.size).toBeGreaterThan(PODS / 2)
  }

  const said = (text: string): readonly string[] => shim.lines().filter((line) => line.includes(text))
  const newestTerm = async (): Promise<number> => Math.max(0, ...(await intake.terms()))

  it('after changes while the first snapshot was listed and on its way', async () => {
    const held = intake.holdNext(() => true)
    const changing = load.change({ changes: CHANGES })
    shim = start()
    await held
    // The watches run, and the snapshot is held on its way.
    await load.change({ changes: CHANGES / 2 })
    await changing
    await intake.deliverHeld()
    await sameAsAFreshList()
  })

  it('after a storm of deletions, some made again under their names', async () => {
    await load.storm(PODS / 2)
    await sameAsAFreshList()
  })

  it('after the API server was killed and started again during changes', async () => {
    const term = await newestTerm()
    await proxy.keepingLease(async () => {
      const changing = load.change({ changes: CHANGES * 2 })
      await busy.plane.restartApiServer()
      await changing
    })
    await sameAsAFreshList()
    expect(said('a watch failed').length).toBeGreaterThan(0)
    expect(await newestTerm()).toBe(term)
  })

  it('after etcd forgot what a cut watch still had to see', async () => {
    const term = await newestTerm()
    const before = await busy.revision()
    const listsBefore = said('"kind":"pod"').filter((line) => line.includes('fell too far behind')).length
    proxy.cutWatches()
    await load.change({ changes: CHANGES })
    await load.storm(PODS / 10)
    await busy.compact()
    // The API server has a history of its own in memory, so it must restart too.
    await proxy.keepingLease(busy.plane.restartApiServer)
    expect(await statusOfListAt(before)).toBe(410)
    const goneBefore = proxy.gone.length
    proxy.allowWatches()
    await sameAsAFreshList()
    expect(proxy.gone.slice(goneBefore).filter((path) => path.startsWith('/api/v1/pods?'))).toHaveLength(1)
    expect(said('"kind":"pod"').filter((line) => line.includes('fell too far behind'))).toHaveLength(listsBefore + 1)
    expect(await newestTerm()).toBe(term)
  })

  it('after the shim was killed with a post on its way, which came when a new term had begun', async () => {
    const term = await newestTerm()
    const touched = load.choose(20)
    const held = intake.holdNext((text) => touched.some(({ key }) => text.includes(`"name":"${key.slice(key.indexOf('/') + 1)}"`)))
    await load.touch(touched)
    await held
    await shim.kill()
    await load.remove(touched)
    await load.change({ changes: CHANGES })
    shim = start()
    await until(async () => ((await newestTerm()) > term ? undefined : 'no new term'), PATIENCE_MS)
    await sameAsAFreshList()
    const late = await intake.deliverHeld()
    expect([late.status, late.records]).toEqual([409, []])
    await sameAsAFreshList()
  })

  it('after the shim was told to stop, which posts what is left', async () => {
    await load.change({ changes: CHANGES / 10 })
    const cluster = await digestsOfCluster(busy.client, signal)
    expect(await shim.stop()).toBe(0)
    expect(differences(cluster, digestsOfApp(await intake.state()))).toBeUndefined()
  })

  /** The status of a list at exactly this revision. The API server reads such a list from etcd, whatever it has in memory. */
  async function statusOfListAt(revision: number): Promise<number> {
    const query = { resourceVersion: String(revision), resourceVersionMatch: 'Exact', limit: '1' }
    const answer = await busy.client.send({ method: 'GET', path: '/api/v1/pods', query, signal })
    return answer.ok ? 200 : answer.error.code
  }
})
