import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { buildInstanceTypes } from '../../../shared/adapters/azure/sizes/instanceTypes.ts'
import { usableSize } from '../../../shared/adapters/azure/sizes/size.ts'
import { InternalError } from '../../../shared/base/result.ts'
import type { InstanceType } from '../../../shared/model/instanceType.ts'
import { usdPerHour } from '../../../shared/model/units.ts'
import type { DaemonSet } from '../../../shared/model/workloads.ts'
import { type ClusterConfig, parseClusterConfig } from '../../../shared/wire/clusterConfig.ts'
import { sku } from '../../../test/azure/skuBuilder.ts'
import { daemonSet } from '../../../test/builders/daemonSet.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'

/** Public data, which the repository does not hold. Workloads that need it are skipped if the folder is absent. */
const DATA = join(import.meta.dirname, '../../../../shared/data')
export const AZURE_SIZES = join(DATA, 'vm-sizes.eastus.json')
const SUSPECT_PRICES = join(DATA, 'vm-prices.suspect.json')
export const OPENB_PODS = join(DATA, 'openb-pods.csv')
export const hasAzureSizes = existsSync(AZURE_SIZES)

export const AZURE_ZONES = ['eastus-1', 'eastus-2', 'eastus-3'] as const

const PublishedSize = z.object({
  name: z.string(),
  price: z.number(),
  family: z.string(),
  cpu: z.number(),
  /** In MiB. */
  mem: z.number(),
  gpu: z.number(),
  arch: z.string(),
})
const SuspectPrices = z.object({ rows: z.array(z.object({ size: z.string(), ratio: z.number() })) })
export type PublishedSize = z.infer<typeof PublishedSize>

/** The data has no spot prices. A spot price is a share of the on-demand price, which differs by family. */
const SPOT_SHARES = [0.18, 0.22, 0.27, 0.33, 0.4]

/** Returns the sizes of eastus as AKS offers them, at their published prices. Sizes that no AKS cluster can use are left out. */
export function azureTypes(isWanted: (size: PublishedSize) => boolean = () => true): readonly InstanceType[] {
  return typesOf(publishedSizes().filter(isWanted))
}

/** All published sizes of eastus. Some published prices are prices with Windows: such a size gets the price for each CPU of its series instead. */
export function publishedSizes(): readonly PublishedSize[] {
  const ratios = windowsRatios()
  const published = z.array(PublishedSize).parse(JSON.parse(readFileSync(AZURE_SIZES, 'utf8')))
  return published.map((size) => ({ ...size, price: size.price / (ratios.get(size.name) ?? 1) }))
}

/** For each size whose published price is that of Windows: this price, of the price that its series has for Linux. */
export function windowsRatios(): ReadonlyMap<string, number> {
  const { rows } = SuspectPrices.parse(JSON.parse(readFileSync(SUSPECT_PRICES, 'utf8')))
  return new Map(rows.map(({ size, ratio }) => [size, ratio]))
}

/** The instance types of these sizes, as the app makes them. */
export function typesOf(wanted: readonly PublishedSize[]): readonly InstanceType[] {
  const prices = Object.fromEntries(wanted.map((size) => [size.name, pricesOf(size)]))
  const sizes = wanted.map((size) => usableSize(recordOf(size))).filter((size) => size !== undefined)
  return buildInstanceTypes({ sizes, prices, usages: {} }, nodeClass(), clusterConfig())
}

/** Reports whether most clusters use such a size: D, E and F of versions 2 to 7, no GPU, amd64, at most 96 CPUs. */
export function isGeneralPurpose({ name, gpu, arch, cpu }: PublishedSize): boolean {
  return gpu === 0 && arch === 'amd64' && cpu <= 96 && /^Standard_[DEF]\d+[a-z]*_v[2-7]$/.test(name)
}

/** Returns DaemonSets that take 300m and 400Mi on each node together. */
export function azureDaemons(count = 4): readonly DaemonSet[] {
  return Array.from({ length: count }, (_, index) =>
    daemonSet({ name: `agent-${index}`, cpus: 0.3 / count, memoryGib: 400 / 1024 / count, tolerations: [{ operator: 'Exists' }] }),
  )
}

function pricesOf({ price, family }: PublishedSize) {
  const share = SPOT_SHARES[(family.length + family.charCodeAt(family.length - 7)) % SPOT_SHARES.length] ?? 1
  return { onDemand: usdPerHour(price), spot: usdPerHour(price * share) }
}

function recordOf({ name, family, cpu, mem, gpu, arch }: PublishedSize) {
  return sku({
    name,
    family,
    capabilities: {
      vCPUs: String(cpu),
      MemoryGB: String(mem / 1024),
      GPUs: String(gpu),
      CpuArchitectureType: arch === 'arm64' ? 'Arm64' : 'x64',
    },
  })
}

/** Returns a cluster with the overlay of the network plugin: 250 pods a node. */
function clusterConfig(): ClusterConfig {
  const parsed = parseClusterConfig({
    id: 'bench',
    subscriptionId: '00000000-0000-4000-8000-000000000001',
    location: 'eastus',
    nodeResourceGroup: 'MC_bench_bench_eastus',
    clusterName: 'bench',
    vnetSubnetId: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n',
    vnetGuid: '00000000-0000-4000-8000-00000000a00c',
    apiServer: 'https://127.0.0.1:6443',
    caBundle: 'Y2E=',
    kubernetesVersion: '1.34.2',
    sshPublicKey: 'ssh-ed25519 AAAA',
    networkDataplane: 'azure',
  })
  if (!parsed.ok) throw new InternalError('the configuration of the bench does not hold')
  return parsed.value
}
