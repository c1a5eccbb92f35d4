import { describe, expect, it } from 'vitest'
import { clusterId } from '../shared/model/ids.ts'
import { printScheduledEvent, SCHEDULED_EVENT_TYPE } from '../shared/wire/eventGrid.ts'
import { node } from '../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../test/builders/nodeClaim.ts'
import { pod } from '../test/builders/pod.ts'
import { createTestApp, NOW, type TestApp } from './testing/testApp.ts'

const CLAIM = 'default-aaaaa'
const NODE = nodeNameOf(CLAIM)

function scheduled(changes: { readonly cluster?: string; readonly node?: string; readonly endsNode?: boolean } = {}): object {
  const { cluster = 'alpha', node: name = NODE, endsNode = true } = changes
  const data = printScheduledEvent({
    cluster: clusterId(cluster),
    node: nodeNameOf(name.replace('joiner-', '')),
    eventId: 'e-1',
    eventType: endsNode ? 'Preempt' : 'Freeze',
    endsNode,
    resources: [name],
  })
  return { id: 'e-1', type: SCHEDULED_EVENT_TYPE, time: new Date(NOW).toISOString(), data }
}

function annotated(resourceId: string, annotationName = 'VirtualMachinePreempted'): object {
  const data = { resourceInfo: { properties: { targetResourceId: resourceId, annotationName } } }
  return { id: 'e-2', type: 'Microsoft.ResourceNotifications.HealthResources.ResourceAnnotated', time: new Date(NOW).toISOString(), data }
}

/** Cluster alpha with one node that runs one pod. */
function running(): TestApp {
  const app = createTestApp()
  const { objects } = app.worlds.alpha
  objects.put('nodeClaim', nodeClaim({ name: CLAIM }))
  objects.put('node', node({ claim: CLAIM }))
  objects.put('pod', pod({ name: 'web', nodeName: NODE }))
  return app
}

function isEnding(app: TestApp): boolean {
  const claim = app.worlds.alpha.objects.get('nodeClaim', CLAIM)
  return claim === undefined || claim.meta.deletedAt !== undefined
}

describe('interruption', () => {
  it.each([
    ['the node announces its end', scheduled()],
    [
      'Azure marks the machine as preempted',
      annotated(`/subscriptions/s/resourceGroups/MC_alpha/providers/Microsoft.Compute/virtualMachines/${NODE}`),
    ],
  ])('closes the node, ends the claim, moves the pods and asks for the replacement when %s', async (_, event) => {
    const app = running()
    await app.run('interruption', event)
    const { objects, queues } = app.worlds.alpha
    expect(objects.get('node', NODE)?.taints).toContainEqual({ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' })
    expect(isEnding(app)).toBe(true)
    expect(objects.get('pod', 'default/web')).toBeUndefined()
    expect(queues.waiting()).toMatchObject([
      { kind: 'nodeClaim', claim: CLAIM, follow: true },
      { kind: 'doorbell', because: 'interruption', urgent: true },
    ])
  })

  it('does the same once when the event comes twice', async () => {
    const app = running()
    await app.run('interruption', scheduled())
    await app.run('interruption', scheduled())
    expect(app.worlds.alpha.objects.get('node', NODE)?.taints.filter(({ key }) => key === 'karpenter.sh/disrupted')).toHaveLength(1)
  })

  it.each([
    ['a freeze', scheduled({ endsNode: false })],
    ['a node of another cluster', scheduled({ cluster: 'beta' })],
    ['a cluster nobody knows', scheduled({ cluster: 'gamma' })],
    ['a claim nobody knows', scheduled({ node: nodeNameOf('default-zzzzz') })],
    [
      'a machine of another resource group',
      annotated(`/subscriptions/s/resourceGroups/other/providers/Microsoft.Compute/virtualMachines/${NODE}`),
    ],
    [
      'a mark that ends no machine',
      annotated(
        `/subscriptions/s/resourceGroups/mc_alpha/providers/Microsoft.Compute/virtualMachines/${NODE}`,
        'VirtualMachineRebootInitiated',
      ),
    ],
    ['an event of another kind', { id: 'e', type: 'Microsoft.Storage.BlobCreated', time: new Date(NOW).toISOString(), data: {} }],
    ['nonsense', { hello: 'world' }],
  ])('changes nothing on %s', async (_, event) => {
    const app = running()
    const before = app.worlds.alpha.journal.entries.length
    await app.run('interruption', event)
    expect(app.worlds.alpha.journal.entries.length).toBe(before)
    expect(isEnding(app)).toBe(false)
  })

  it('notes what it did not understand, with the field', async () => {
    const app = running()
    await app.run('interruption', { ...scheduled(), data: { cluster: 'alpha', node: 7 } })
    expect(app.worlds.alpha.telemetry.lines).toMatchObject([{ level: 'warn', fields: { code: 'INPUT.INVALID', path: 'node' } }])
  })
})
