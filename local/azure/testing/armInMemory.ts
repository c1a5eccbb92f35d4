// The ARM emulator without a network: requests are function calls, and the test moves the clock.

import type { Arm } from '../arm/arm.ts'
import { createArmServer } from '../arm/armServer.ts'
import { createArmState, type VmRecord } from '../arm/armState.ts'
import { createAccess } from '../arm/authorization/access.ts'
import { firstDocuments } from '../arm/firstDocuments.ts'
import type { TokenIssuer } from '../entra/tokens.ts'
import { createFaultBook } from '../faults.ts'
import { type StartAzureOptions, settingsOf } from '../options.ts'
import { createRequestLog, type RequestLog } from '../requestLog.ts'
import type { VmSize } from '../sizes/vmSize.ts'
import { createTimeline } from '../timeline.ts'

export type ArmReply = {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: unknown
  readonly code: string | undefined
  readonly message: string | undefined
}

export type ArmInMemory = {
  readonly arm: Arm
  readonly log: RequestLog
  /** Starts, ends, restarts and begun evictions of guests, such as `+web`, `-web`, `~web` and `!web`. */
  readonly power: readonly string[]
  /** Adds an api-version to `path` if it has none. */
  call(method: string, path: string, body?: unknown, headers?: { readonly [name: string]: string }): Promise<ArmReply>
  /** Returns the path of a resource in the first group, such as `Microsoft.Compute/virtualMachines/web`. */
  path(resource: string): string
  /** Puts the interface of a machine, then the machine. Returns the answer for the machine. */
  putVm(name: string, over?: VmParts): Promise<ArmReply>
}

export type VmParts = {
  readonly size?: string
  readonly top?: object
  readonly properties?: object
  readonly headers?: { readonly [name: string]: string }
}

/** Two families of sizes, one without spot. */
const SIZES: readonly VmSize[] = [
  size('Standard_D4s_v5', 'standardDSv5Family', 4, 'True'),
  size('Standard_D8s_v5', 'standardDSv5Family', 8, 'True'),
  size('Standard_M8ms', 'standardMSFamily', 8, 'False'),
]

function size(name: string, family: string, cpus: number, spot: string): VmSize {
  return {
    name,
    family,
    cpus,
    memoryGib: 4 * cpus,
    gpus: 0,
    zones: ['1', '2'],
    capabilities: { vCPUs: String(cpus), LowPriorityCapable: spot },
  }
}

const NETWORK_VERSION = '2026-01-01'
const COMPUTE_VERSION = '2026-04-01'

function versionFor(path: string): string {
  if (path.endsWith('/skus')) return '2021-07-01'
  if (path.includes('/disks')) return '2025-01-02'
  return path.includes('Microsoft.Network') ? NETWORK_VERSION : COMPUTE_VERSION
}

export function armInMemory(options: StartAzureOptions = {}): ArmInMemory {
  const settings = settingsOf({ durations: { nic: 1_000 }, ...options })
  const power: string[] = []
  const arm: Arm = {
    settings,
    state: createArmState(firstDocuments(settings)),
    timeline: createTimeline(settings.speed),
    faults: createFaultBook(),
    access: createAccess(),
    sizes: new Map(SIZES.map((each) => [each.name, each])),
    url: () => 'https://arm.test',
    engine: () => undefined,
    booted: ({ name }: VmRecord) => void power.push(`+${name}`),
    stopped: ({ name }: VmRecord) => void power.push(`-${name}`),
    goesDown: ({ name }: VmRecord) => void power.push(`~${name}`),
    evict: ({ name }: VmRecord) => void power.push(`!${name}`),
  }
  const issuer: Pick<TokenIssuer, 'check' | 'issuer'> = {
    check: async () => ({ oid: 'somebody', appid: 'a' }),
    issuer: () => 'https://issuer',
  }
  const log = createRequestLog()
  const respond = createArmServer(arm, issuer as TokenIssuer, log)
  const path = (resource: string) =>
    `/subscriptions/${settings.subscriptionId}/resourceGroups/${settings.resourceGroups[0]}/providers/${resource}`
  const call: ArmInMemory['call'] = async (method, asked, body, headers = {}) => {
    const url = new URL(asked, 'https://arm.test')
    if (!url.searchParams.has('api-version')) url.searchParams.set('api-version', versionFor(url.pathname))
    const answer = await respond({ method, url, headers, body: body === undefined ? '' : JSON.stringify(body) })
    if (answer === 'drop') return { status: 0, headers: {}, body: undefined, code: undefined, message: undefined }
    const error = (answer.body as { readonly error?: { readonly code: string; readonly message: string } } | undefined)?.error
    return { status: answer.status, headers: answer.headers ?? {}, body: answer.body, code: error?.code, message: error?.message }
  }
  const putVm: ArmInMemory['putVm'] = async (name, { size: vmSize = 'Standard_D4s_v5', top, properties, headers } = {}) => {
    const nic = path(`Microsoft.Network/networkInterfaces/${name}`)
    const ipConfigurations = [{ name: 'i', properties: { subnet: { id: settings.subnetId } } }]
    await call('PUT', nic, { location: settings.location, properties: { ipConfigurations } })
    const body = {
      location: settings.location,
      tags: { a: 'b' },
      properties: {
        hardwareProfile: { vmSize },
        storageProfile: {
          osDisk: { createOption: 'FromImage', deleteOption: 'Delete', diskSizeGB: 64 },
          imageReference: { communityGalleryImageId: '/CommunityGalleries/x' },
        },
        osProfile: { computerName: name, adminUsername: 'azureuser', customData: 'aGVsbG8=' },
        networkProfile: { networkInterfaces: [{ id: nic, properties: { deleteOption: 'Delete' } }] },
        ...properties,
      },
      ...top,
    }
    return call('PUT', path(`Microsoft.Compute/virtualMachines/${name}`), body, headers)
  }
  return { arm, log, power, call, path, putVm }
}
