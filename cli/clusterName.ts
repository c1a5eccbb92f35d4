const LONGEST = 40
const CLUSTER = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.ContainerService\/managedClusters\/[^/]+$/i

/** What is wrong with the value of --cluster, in a sentence. Looks at its form alone: whether there is such a cluster only Azure says. */
export function whyNotCluster(id: string): string | undefined {
  return CLUSTER.test(id) ? undefined : `--cluster ${id} is not the resource id of a managed cluster`
}

/** What Joiner calls a cluster: its own name in the letters that such an id may have. */
export function idOf(resourceId: string): string {
  const name = (resourceId.split('/').at(-1) ?? '').toLowerCase().replaceAll('_', '-').slice(0, LONGEST)
  return name.replaceAll(/^-+|-+$/g, '')
}
