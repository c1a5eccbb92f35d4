const LONGEST = 40
const CLUSTER = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.ContainerService\/managedClusters\/[^/]+$/i

/** Returns what is wrong with the value of --cluster, as a sentence. Checks only its form, not whether the cluster exists. */
export function whyNotCluster(id: string): string | undefined {
  return CLUSTER.test(id) ? undefined : `--cluster ${id} is not the resource id of a managed cluster`
}

/** Returns Joiner's id of a cluster: its own name, limited to the characters that an id may have. */
export function idOf(resourceId: string): string {
  const name = (resourceId.split('/').at(-1) ?? '').toLowerCase().replaceAll('_', '-').slice(0, LONGEST)
  return name.replaceAll(/^-+|-+$/g, '')
}
