/** The end of a sentence about a feature that only a real control plane has. */
export const REAL_CONTROL_PLANE =
  'a real control plane does: npm run controlplane, and in another terminal npm start -- --kubeconfig .local/controlplane/kubeconfig'
