import { describe, expect, it } from 'vitest'
import { startInformer } from '../../local/cluster/client/informer.ts'
import { NODES } from '../../local/cluster/client/resource.ts'
import type { Environment } from './environment.ts'
import { takeInventory } from './inventory.ts'
import { onCluster } from './onCluster.ts'
import { until } from './until.ts'

onCluster('the end of a node', scenarios, { capacityTypes: ['spot'] })

function scenarios(environment: () => Environment): void {
  describe('what a user deletes', () => {
    it.each([
      ['a node', (node: string) => `/api/v1/nodes/${node}`],
      ['a nodeclaim', (node: string) => `/apis/karpenter.sh/v1/nodeclaims/${node.replace('joiner-', '')}`],
    ])('E2E-10 is drained, its machine goes, and its pod runs elsewhere: %s', async (_name, path) => {
      const node = await twoNodes(environment())
      await environment().send({ method: 'DELETE', path: path(node) })
      await until(async () => ((await takeInventory(environment().stack)).vms.includes(node) ? `machine ${node} is there` : undefined))
      await environment().settle(2)
      expect(environment().machinesMade()).toHaveLength(3)
      await environment().scale('app', 0)
      await environment().settle(0)
    })
  })

  describe('a spot machine that Azure takes', () => {
    it('is closed, replaced before it is gone, and its claim ends', async () => {
      const node = await twoNodes(environment())
      const path = `/api/v1/nodes/${node}`
      const annotations = { 'joiner.dev/simulate': 'evict' }
      const replaced = environment().whenSaid(/^decision /)
      const taints = new Set<string>()
      const informer = startInformer(NODES, { client: environment().stack.client })
      // An informer, because the taint may come and the node may be removed between two reads.
      informer.onChange((now) => {
        if (now?.metadata.name === node) for (const { key, effect } of now.spec.taints ?? []) taints.add(`${key}:${effect}`)
      })
      await informer.synced
      try {
        await environment().send({
          method: 'PATCH',
          path,
          body: { metadata: { annotations } },
          contentType: 'application/merge-patch+json',
        })
        await until(() => (taints.has('karpenter.sh/disrupted:NoSchedule') ? undefined : `node ${node} is not closed, but ${[...taints]}`))
      } finally {
        informer.close()
      }
      await replaced
      await until(async () => ((await takeInventory(environment().stack)).nodes.includes(node) ? `node ${node} is there` : undefined))
      await environment().settle(2)
      expect(environment().machinesMade()).toHaveLength(3)
      expect((await takeInventory(environment().stack)).vms).not.toContain(node)
      await environment().scale('app', 0)
      await environment().settle(0)
    })
  })

  describe('a deployment scaled to nothing', () => {
    it('leaves no machine, no interface and no disk', async () => {
      await twoNodes(environment())
      await environment().scale('app', 0)
      await environment().settle(0)
      expect(environment().stack.azure.state()).toEqual({ vms: [], nics: [], disks: [] })
    })
  })
}

/** Runs two pods on two machines. Returns the name of the first node. */
async function twoNodes(environment: Environment): Promise<string> {
  await environment.scale('app', 2)
  await environment.settle(2)
  const [node] = (await takeInventory(environment.stack)).nodes
  return node ?? ''
}
