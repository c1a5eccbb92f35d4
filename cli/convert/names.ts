export const CORE_GROUP = 'karpenter.sh'
export const AZURE_GROUP = 'karpenter.azure.com'
export const CLASS_KIND = 'AKSNodeClass'
