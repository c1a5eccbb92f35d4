import { describe, expect, it } from 'vitest'
import { CLAIM_PATH, DEPLOYMENT_PATH, deployment, POOL_PATH, poolNamed } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { takeInventory } from './inventory.ts'
import { onEachCluster } from './onCluster.ts'
import { until } from './until.ts'
import { claims } from './waits.ts'

onEachCluster('a teardown', scenarios)

const BLUE = { team: 'blue' }
const POOL = `${POOL_PATH}/blue`
const DEPLOYMENT = `${DEPLOYMENT_PATH}/app-blue`
const HELD_BY = 'example.com/hold'

function scenarios(environment: () => Environment): void {
  async function installed(): Promise<void> {
    await environment().make(POOL_PATH, poolNamed('blue', { labels: BLUE }))
    await environment().make(DEPLOYMENT_PATH, deployment('app-blue', 2, { nodeSelector: BLUE }))
    await environment().settle(2)
  }

  async function removeClaims(): Promise<void> {
    for (const { metadata } of await claims(environment())) await environment().remove(`${CLAIM_PATH}/${metadata.name}`)
  }

  /** Waits until nothing that Joiner made is left, in the cluster and in Azure. */
  async function nothingIsLeft(): Promise<void> {
    await until(async () => {
      const { pods: _, ...made } = await takeInventory(environment().stack)
      const left = Object.values(made).flat()
      return left.length === 0 ? undefined : `there is still ${JSON.stringify(left)}`
    })
    expect(environment().stack.azure.state()).toEqual({ vms: [], nics: [], disks: [] })
  }

  const ORDERS: readonly (readonly [first: string, steps: () => readonly (() => Promise<void>)[]])[] = [
    ['nodeclaims first', () => [removeClaims, () => environment().remove(POOL), () => environment().remove(DEPLOYMENT)]],
    ['the nodepool first', () => [() => environment().remove(POOL), removeClaims, () => environment().remove(DEPLOYMENT)]],
    ['pods first', () => [() => environment().remove(DEPLOYMENT), removeClaims, () => environment().remove(POOL)]],
  ]

  describe('in any order leaves no object and no machine (F43)', () => {
    it.each(ORDERS)('%s', async (_first, steps) => {
      await installed()
      for (const step of steps()) await step()
      await nothingIsLeft()
    })

    it('the shim first, which another one follows when all is gone', async () => {
      await installed()
      await environment().stack.shim.stop()
      for (const step of [removeClaims, () => environment().remove(POOL), () => environment().remove(DEPLOYMENT)]) await step()
      await nothingIsLeft()
      await environment().startShim()
    })
  })

  describe('of a nodeclaim that somebody else holds too', () => {
    it('ends node and machine, and leaves the claim to its other finalizer', async () => {
      await installed()
      const [claim] = await claims(environment())
      const path = `${CLAIM_PATH}/${claim?.metadata.name}`
      await environment().patch(path, { metadata: { finalizers: ['karpenter.sh/termination', HELD_BY] } })
      await environment().remove(POOL)
      await until(async () => {
        const { claims: left, nodes, vms, nics } = await takeInventory(environment().stack)
        return left.length === 1 && [...nodes, ...vms, ...nics].length === 0 ? undefined : `there is still ${[...nodes, ...vms, ...nics]}`
      })
      const own = await environment().get<{ metadata: { finalizers?: readonly string[] } }>(path)
      expect(own?.metadata.finalizers).toEqual([HELD_BY])
      await environment().patch(path, { metadata: { finalizers: null } })
      await environment().remove(DEPLOYMENT)
      await nothingIsLeft()
    })
  })
}
