// What is not rehearsed of azd. docs/local.md has the same rows, and a test compares them.
export type Difference = { readonly of: string; readonly azd: string; readonly imitation: string }

/** What azd does and its imitation does not. The rehearsal prints the rows where the imitation plays, and docs/local.md has them. */
export const DIFFERENCES: readonly Difference[] = [
  { of: 'order', azd: 'the steps of `azure.yaml`, by azd', imitation: 'the same steps, written down once more' },
  { of: 'parameters', azd: 'read by azd from the printed templates and the environment', imitation: 'clusters, network and roles only' },
  { of: 'hooks', azd: '`preup`, and `preprovision` before each layer, by `npx tsx`', imitation: '`preprovision` once, by Node' },
  { of: 'deployments', azd: 'validated, sent to ARM and kept there with tags', imitation: 'resources put one after the other' },
  { of: 'demo layer', azd: 'deployed: empty, or the cluster for trials in a rehearsal of its own', imitation: 'not deployed' },
  { of: 'code', azd: 'built by `npm run build`, zipped by azd, published to Kudu', imitation: 'the zip of the release' },
  { of: 'environment', azd: 'read and written by azd, in its file', imitation: 'a map; a layer that is deleted takes its outputs along' },
  { of: '`azd down`', azd: 'finds the groups by their tags, voids the layers', imitation: 'deletes the one group' },
]

/** What differs from a machine of a person in both, with the reason. */
export const NOT_REHEARSED: readonly { readonly what: string; readonly why: string }[] = [
  {
    what: 'the login of azd',
    why: 'an endpoint gives azd its tokens, and hooks have a managed identity, so that their calls can be told apart',
  },
  { what: 'Bicep', why: '`infra/check/arm` prints the templates; the compiler compares them in the workflows' },
  {
    what: 'the wait until new roles hold',
    why: 'the local Azure says that roles are ten minutes old when they are made; tests of the hooks play the wait',
  },
  { what: '`npm install` of azd', why: 'the packages are there, so npm installs none' },
]
