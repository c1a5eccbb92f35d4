import type { MachineSource } from '../machine.ts'
import type { Arm } from './arm/arm.ts'
import { createArmServer } from './arm/armServer.ts'
import { type ArmState, createArmState } from './arm/armState.ts'
import { createCertificates } from './certificates.ts'
import { createAuthority } from './entra/authority.ts'
import { createManagedIdentityEndpoint } from './entra/managedIdentity.ts'
import { createTokenIssuer, type TokenIssuer, type TokenRequest } from './entra/tokens.ts'
import { createEventGrid, type EventGrid, type Subscription } from './eventgrid/eventGrid.ts'
import { evictSpot } from './eviction.ts'
import { createFaultBook, type FaultScript } from './faults.ts'
import { type RunningServer, serve } from './httpServer.ts'
import { createImds, type ScheduledEventType } from './imds/imdsServer.ts'
import { createMachineHub } from './machineHub.ts'
import { type AzureSettings, type StartAzureOptions, settingsOf } from './options.ts'
import { createPriceServer } from './prices/priceServer.ts'
import { createRequestLog, type RequestLog } from './requestLog.ts'
import { builtInSizes } from './sizes/sizeFamilies.ts'
import type { VmSize } from './sizes/vmSize.ts'
import { createTimeline } from './timeline.ts'

/** The emulated Azure of one subscription and region, everything on the loopback address. */
export interface LocalAzure {
  readonly armUrl: string
  readonly pricesUrl: string
  readonly authorityUrl: string
  readonly identityEndpoint: string
  readonly identityHeader: string
  readonly topicEndpoint: string
  readonly topicKey: string
  readonly jwksUri: string
  readonly issuer: string
  /** PEM: whoever talks to an https address above must trust it. */
  readonly caCertificate: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly location: string
  readonly resourceGroups: readonly string[]
  readonly subnetId: string
  readonly managedIdentities: AzureSettings['managedIdentities']
  /** Where the machine's own metadata service would be: append `/metadata/...`. */
  imdsUrl(vm: string): string
  issueToken(request: TokenRequest): Promise<string>
  readonly machines: MachineSource
  readonly script: FaultScript
  readonly requests: RequestLog
  state(): {
    readonly vms: ReturnType<typeof listed<ArmState['vms']>>
    readonly nics: ReturnType<typeof listed<ArmState['nics']>>
    readonly disks: ReturnType<typeof listed<ArmState['disks']>>
  }
  /** Notice through the metadata service, then the machine is gone, then Event Grid says so. */
  evictSpot(vm: string, options?: { readonly noticeMs?: number }): void
  scheduleEvent(vm: string, type: ScheduledEventType, notBeforeMs: number): void
  subscribe(subscription: Subscription): Promise<{ readonly refused?: string }>
  readonly eventGrid: Pick<EventGrid, 'deadLetters' | 'published' | 'publish'>
  close(): Promise<void>
}

/** Starts the emulator. Nothing outlives `close`. */
export async function startAzure(options: StartAzureOptions = {}): Promise<LocalAzure> {
  const settings = settingsOf(options)
  const tls = await createCertificates()
  const timeline = createTimeline(settings.speed)
  const faults = createFaultBook()
  const sizes = sizeMap(options)
  const hub = createMachineHub(settings.location, sizes)
  const requests = createRequestLog()
  const urls = { arm: '', authority: '', prices: '' }
  const arm: Arm = {
    settings,
    state: createArmState(),
    timeline,
    faults,
    sizes,
    url: () => urls.arm,
    booted: hub.booted,
    stopped: hub.stopped,
  }
  const imds = createImds(arm)
  const identityHeader = crypto.randomUUID()
  const topicKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')
  let tokens: TokenIssuer | undefined
  // servers need addresses and addresses go into tokens: the issuer is made once the authority listens
  const issuer = (): TokenIssuer => tokens as TokenIssuer // set before any caller knows an address
  const eventGrid = createEventGrid(topicKey, issuer, timeline)
  const servers: RunningServer[] = []
  const started = async (respond: Parameters<typeof serve>[0], isSecure: boolean): Promise<string> => {
    const server = await serve(respond, isSecure ? { tls } : {})
    servers.push(server)
    return server.url
  }
  urls.authority = await started(
    createAuthority(settings.tenantId, settings.clients, issuer, () => urls.authority),
    true,
  )
  tokens = await createTokenIssuer(`${urls.authority}/${settings.tenantId}/v2.0`, settings.tenantId)
  urls.arm = await started(createArmServer(arm, issuer, requests), true)
  urls.prices = await started(
    createPriceServer(settings.location, sizes, faults, () => urls.prices),
    false,
  )
  const topicUrl = await started((request) => eventGrid.respond(request), true)
  const identityUrl = await started(createManagedIdentityEndpoint(settings.managedIdentities, identityHeader, issuer), false)
  const imdsBase = await started((request) => imds.respond(request), false)

  return {
    armUrl: urls.arm,
    pricesUrl: urls.prices,
    authorityUrl: urls.authority,
    identityEndpoint: `${identityUrl}/msi/token`,
    identityHeader,
    topicEndpoint: `${topicUrl}/api/events`,
    topicKey,
    jwksUri: `${urls.authority}/${settings.tenantId}/discovery/v2.0/keys`,
    issuer: tokens.issuer,
    caCertificate: tls.caCertificate,
    tenantId: settings.tenantId,
    subscriptionId: settings.subscriptionId,
    location: settings.location,
    resourceGroups: settings.resourceGroups,
    subnetId: settings.subnetId,
    managedIdentities: settings.managedIdentities,
    imdsUrl: (vm) => `${imdsBase}/vms/${vm}`,
    issueToken: (request) => issuer().issue(request),
    machines: hub,
    script: faults,
    requests,
    state: () => ({ vms: listed(arm.state.vms), nics: listed(arm.state.nics), disks: listed(arm.state.disks) }),
    evictSpot: (vm, notice = {}) => evictSpot(arm, imds, eventGrid, vm, notice.noticeMs ?? timeline.scaled(30_000)),
    scheduleEvent: (vm, type, notBeforeMs) => void imds.schedule(vm, type, Date.now() + notBeforeMs),
    subscribe: eventGrid.subscribe,
    eventGrid,
    async close() {
      timeline.close()
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

function sizeMap(options: StartAzureOptions): ReadonlyMap<string, VmSize> {
  const sizes = [...(options.withoutBuiltInSizes === true ? [] : builtInSizes()), ...(options.sizes ?? [])]
  return new Map(sizes.map((size) => [size.name, size]))
}

function listed<Records extends ReadonlyMap<string, unknown>>(
  records: Records,
): readonly (Records extends ReadonlyMap<string, infer Record> ? Readonly<Record> : never)[] {
  return [...records.values()] as (Records extends ReadonlyMap<string, infer Record> ? Readonly<Record> : never)[] // the map's own values
}
