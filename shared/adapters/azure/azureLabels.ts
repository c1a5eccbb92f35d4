/** Label names of AKS and of Karpenter's Azure provider. */
export const AZURE_LABEL = {
  skuName: 'karpenter.azure.com/sku-name',
  skuFamily: 'karpenter.azure.com/sku-family',
  skuSeries: 'karpenter.azure.com/sku-series',
  skuVersion: 'karpenter.azure.com/sku-version',
  skuCpu: 'karpenter.azure.com/sku-cpu',
  skuMemory: 'karpenter.azure.com/sku-memory',
  aksSkuCpu: 'kubernetes.azure.com/sku-cpu',
  aksSkuMemory: 'kubernetes.azure.com/sku-memory',
  acceleratedNetworking: 'karpenter.azure.com/sku-networking-accelerated',
  premiumStorage: 'karpenter.azure.com/sku-storage-premium-capable',
  ephemeralDiskMax: 'karpenter.azure.com/sku-storage-ephemeralos-maxsize',
  ultraSsd: 'karpenter.azure.com/sku-storage-ultra-ssd',
  gpuName: 'karpenter.azure.com/sku-gpu-name',
  gpuManufacturer: 'karpenter.azure.com/sku-gpu-manufacturer',
  gpuCount: 'karpenter.azure.com/sku-gpu-count',
  placementScope: 'karpenter.azure.com/placement-scope',
  cluster: 'kubernetes.azure.com/cluster',
  mode: 'kubernetes.azure.com/mode',
  scaleSetPriority: 'kubernetes.azure.com/scalesetpriority',
  priority: 'kubernetes.azure.com/priority',
  osSku: 'kubernetes.azure.com/os-sku',
  fips: 'kubernetes.azure.com/fips_enabled',
} as const

/** The node resource group as a label value: no parentheses, at most 63 characters, an alphanumeric end. */
export function clusterLabelValue(nodeResourceGroup: string): string {
  const cut = nodeResourceGroup.replaceAll(/[()]/g, '-').slice(0, 63)
  return /[-_.]$/.test(cut) ? `${cut.slice(0, -1)}z` : cut
}
