/** What to do about anything that only a real control plane does: ends a sentence. */
export const REAL_CONTROL_PLANE =
  'a real control plane does: npm run controlplane, and in another terminal npm start -- --kubeconfig .local/controlplane/kubeconfig'
