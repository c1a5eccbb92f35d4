import type { Arm } from './arm/arm.ts'
import { endOfVm } from './arm/vmEnd.ts'
import type { EventGrid } from './eventgrid/eventGrid.ts'
import type { Imds } from './imds/imdsServer.ts'

/** Evicts a spot machine as Azure does: a Preempt event in its metadata first, then its end, then the resource annotation. */
export function evictSpot(arm: Arm, imds: Imds, eventGrid: Pick<EventGrid, 'publish'>, name: string, noticeMs: number): void {
  const eventId = imds.schedule(name, 'Preempt', Date.now() + noticeMs)
  arm.timeline.after(noticeMs * arm.settings.speed, () => {
    imds.start(eventId)
    const vm = [...arm.state.vms.values()].find((record) => record.name === name)
    if (vm !== undefined) endOfVm(arm, vm, 0.25, () => undefined)
    eventGrid.publish('health', annotation(arm, vm?.id ?? name))
    arm.timeline.after(5000, () => imds.end(eventId))
  })
}

function annotation(arm: Arm, vmId: string): Parameters<EventGrid['publish']>[1] {
  const id = crypto.randomUUID()
  const time = new Date().toISOString()
  return {
    id,
    topic: `/subscriptions/${arm.settings.subscriptionId}`,
    subject: vmId,
    eventType: 'Microsoft.ResourceNotifications.HealthResources.ResourceAnnotated',
    eventTime: time,
    dataVersion: '1',
    data: {
      resourceInfo: {
        id: `${vmId}/providers/Microsoft.ResourceHealth/resourceAnnotations/${id}`,
        name: id,
        type: 'Microsoft.ResourceHealth/resourceAnnotations',
        properties: {
          targetResourceId: vmId,
          targetResourceType: 'Microsoft.Compute/virtualMachines',
          occurredTime: time,
          annotationName: 'VirtualMachinePreempted',
          reason: 'the machine was evicted to make room',
          summary: 'the spot virtual machine was evicted',
          context: 'Platform Initiated',
          category: 'Unplanned',
        },
      },
      operationalInfo: { resourceEventTime: time },
      apiVersion: '2022-08-01',
    },
  }
}
