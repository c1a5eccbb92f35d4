import type { Arm } from '../arm/arm.ts'
import type { VmRecord } from '../arm/armState.ts'
import type { HttpAnswer, HttpRequest } from '../httpServer.ts'
import { isRecord, listAt } from '../json.ts'

export type ScheduledEventType = 'Preempt' | 'Reboot' | 'Redeploy' | 'Freeze' | 'Terminate'

type ScheduledEvent = {
  readonly id: string
  readonly type: ScheduledEventType
  readonly vm: string
  readonly notBefore: number
  status: 'Scheduled' | 'Started'
}

/** Instance metadata of every machine, each under `/vms/<name>`, because one address cannot tell machines apart. */
export interface Imds {
  respond(request: HttpRequest): HttpAnswer
  schedule(vm: string, type: ScheduledEventType, notBefore: number): string
  start(eventId: string): void
  end(eventId: string): void
}

const EVENT_VERSIONS = ['2019-08-01', '2020-07-01']

export function createImds(arm: Arm): Imds {
  const events = new Map<string, ScheduledEvent>()
  let incarnation = 1
  const change = (effect: () => void) => {
    effect()
    incarnation += 1
  }
  return {
    schedule(vm, type, notBefore) {
      const id = crypto.randomUUID().toUpperCase()
      change(() => events.set(id, { id, type, vm, notBefore, status: 'Scheduled' }))
      return id
    },
    start: (id) => change(() => setStarted(events.get(id))),
    end: (id) => change(() => events.delete(id)),
    respond(request) {
      const [, vms, name, metadata, kind] = request.url.pathname.split('/')
      if (vms !== 'vms' || metadata !== 'metadata')
        return {
          status: 404,
          body: {
            error: `${request.url.pathname} is not served: /vms/<name>/metadata/scheduledevents and /vms/<name>/metadata/instance are`,
          },
        }
      if (request.headers['metadata'] !== 'true')
        return { status: 400, body: { error: 'Bad request. The Metadata: true header is missing' } }
      const vm = [...arm.state.vms.values()].find((record) => record.name === name)
      if (vm === undefined) return { status: 404, body: { error: `no virtual machine ${name}` } }
      if (kind === 'instance') return instance(arm, vm)
      if (kind !== 'scheduledevents') return { status: 404, body: { error: `metadata/${kind} is not served` } }
      const version = request.url.searchParams.get('api-version') ?? ''
      if (!EVENT_VERSIONS.includes(version))
        return { status: 400, body: { error: `api-version must be one of ${EVENT_VERSIONS.join(', ')}` } }
      if (request.method === 'POST') return approve(request, (id) => change(() => setStarted(events.get(id))))
      return {
        status: 200,
        body: { DocumentIncarnation: incarnation, Events: [...events.values()].filter((event) => event.vm === name).map(eventBody) },
      }
    },
  }
}

function setStarted(event: ScheduledEvent | undefined): void {
  if (event !== undefined) event.status = 'Started'
}

function approve(request: HttpRequest, start: (id: string) => void): HttpAnswer {
  const parsed: unknown = JSON.parse(request.body === '' ? '{}' : request.body)
  for (const wish of listAt(parsed, 'StartRequests')) if (isRecord(wish)) start(String(wish['EventId']))
  return { status: 200 }
}

function eventBody(event: ScheduledEvent): object {
  return {
    EventId: event.id,
    EventType: event.type,
    ResourceType: 'VirtualMachine',
    Resources: [event.vm],
    EventStatus: event.status,
    NotBefore: event.status === 'Started' ? '' : new Date(event.notBefore).toUTCString(),
    Description: '',
    EventSource: 'Platform',
    DurationInSeconds: -1,
  }
}

function instance(arm: Arm, vm: VmRecord): HttpAnswer {
  const { location, subscriptionId } = arm.settings
  return {
    status: 200,
    body: {
      compute: {
        azEnvironment: 'AzurePublicCloud',
        location,
        name: vm.name,
        resourceGroupName: vm.group,
        resourceId: vm.id,
        subscriptionId,
        vmId: vm.vmId,
        vmSize: vm.size,
        zone: vm.zone ?? '',
        priority: vm.priority,
        evictionPolicy: vm.priority === 'Spot' ? 'Delete' : '',
        tagsList: Object.entries(vm.tags).map(([name, value]) => ({ name, value })),
      },
    },
  }
}
