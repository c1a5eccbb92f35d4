import { words } from '../../../base/text.ts'
import type { DriverNeed } from '../images/driverPins.ts'

/** The support of AKS for a GPU size: its vendor, the operating systems that have its driver, and whether a driver can be installed. */
export type GpuSize = {
  readonly vendor: 'nvidia' | 'amd'
  readonly systems: readonly ('ubuntu' | 'azurelinux' | 'azurelinux3')[]
  readonly hasDriverInstall: boolean
}

const NEW_NVIDIA = words(
  'nc8ads_a10_v4 nc16ads_a10_v4 nc32ads_a10_v4 nc24ads_a100_v4 nc48ads_a100_v4 nc96ads_a100_v4',
  'nc40ads_h100_v5 nc80adis_h100_v5 nd96asr_v4 nd112asr_a100_v4 nd120asr_a100_v4',
  'nv6ads_a10_v5 nv12ads_a10_v5 nv18ads_a10_v5 nv36ads_a10_v5 nv36adms_a10_v5 nv72ads_a10_v5',
  'nd96amsr_a100_v4 nd112amsr_a100_v4 nd120amsr_a100_v4 nd96isr_h100_v5 nd96is_h100_v5 nd96is_noib_h100_v5',
  'nd96is_flex_h100_v5 nd96isf_h100_v5 nd96isrf_h100_v5 nd96ams_v4 nd96ams_a100_flex_v4 nd96ams_a100_v4',
  'nd96amsf_a100_v4 nd96amsrf_a100_v4 nd96isr_h200_v5 nd96is_h200_v5 nd96isf_h200_v5 nd96isrf_h200_v5',
)
const COMMON_NVIDIA = words('nc4as_t4_v3 nc8as_t4_v3 nc16as_t4_v3 nc64as_t4_v3', 'nc6s_v3 nc12s_v3 nc24s_v3 nc24rs_v3 nd40rs_v2 nd40s_v3')
const UBUNTU_NVIDIA = words(
  'nc6 nc12 nc24 nc24r nc6s_v2 nc12s_v2 nc24s_v2 nc24rs_v2 nd6s nd12s nd24s nd24rs',
  'nv6 nv12 nv24 nv24r nv12s_v3 nv24s_v3 nv48s_v3',
  'nd128isr_ndr_gb200_v6 nd128isr_gb300_v6 nc24lds_xl_rtxpro6000bse_v6 nc36ds_xl_rtxpro6000bse_v6',
  'nc36lds_xl_rtxpro6000bse_v6 nc72ds_xl_rtxpro6000bse_v6 nc72lds_xl_rtxpro6000bse_v6 nc144ds_xl_rtxpro6000bse_v6',
  'nc144lds_xl_rtxpro6000bse_v6 nc288ds_xl_rtxpro6000bse_v6 nc288lds_xl_rtxpro6000bse_v6',
)
const UBUNTU_AMD = words(
  'nv4ads_v710_v5 nv8ads_v710_v5 nv12ads_v710_v5 nv24ads_v710_v5 nv28adms_v710_v5',
  'nd96isr_mi300x_v5 nd96is_mi300x_v5',
)

const REGISTRY: ReadonlyMap<string, GpuSize> = new Map([
  ...entries(NEW_NVIDIA, { vendor: 'nvidia', systems: ['ubuntu', 'azurelinux3'], hasDriverInstall: true }),
  ...entries(COMMON_NVIDIA, { vendor: 'nvidia', systems: ['ubuntu', 'azurelinux', 'azurelinux3'], hasDriverInstall: true }),
  ...entries(UBUNTU_NVIDIA, { vendor: 'nvidia', systems: ['ubuntu'], hasDriverInstall: true }),
  ...entries(UBUNTU_AMD, { vendor: 'amd', systems: ['ubuntu'], hasDriverInstall: false }),
])

/** Looks up a size by its full name. Undefined if AKS does not support the GPU of the size. */
export function gpuSize(name: string): GpuSize | undefined {
  return REGISTRY.get(bareName(name))
}

/**
 * Reports whether the GPUs of a size are connected by NVSwitch, whose links the fabric manager trains. Without the fabric manager, these GPUs cannot
 * be used. Without a switch, the fabric manager fails and the machine never becomes a node. The sizes are those with eight A100, H100 or H200.
 * (Azure/AgentBaker, FabricManagerGPUSizes of pkg/agent/datamodel/gpu_components.go, 2026-07-16. That list leaves out some sizes with the same
 * boards, which are included here.)
 */
export function needsFabricManager(name: string): boolean {
  return gpuSize(name)?.vendor === 'nvidia' && /^nd\d+.*_v[45]$/.test(bareName(name))
}

/** The names of all GPU sizes, in lower case and without `standard_`. */
export const GPU_SIZES: readonly string[] = [...REGISTRY.keys()]

/** The driver that an NVIDIA size needs. (Azure/AgentBaker, GetGPUDriverType of pkg/agent/baker.go, 2026-08-21.) */
export function driverNeed(name: string): DriverNeed {
  const bare = bareName(name)
  if (bare.includes('_rtxpro6000bse_')) return 'grid-v20'
  return /_a10_v[45]$/.test(bare) ? 'grid' : 'cuda'
}

function bareName(name: string): string {
  return name
    .toLowerCase()
    .replace(/^standard_/, '')
    .replace(/_promo$/, '')
}

function entries(names: readonly string[], gpu: GpuSize): (readonly [string, GpuSize])[] {
  return names.map((name) => [name, gpu] as const)
}
