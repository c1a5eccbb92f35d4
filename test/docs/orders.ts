/** The suite that runs a command of a page, with the text that proves it, or the reason why no suite can run it. */
export type Proof = { readonly suite: string; readonly evidence: string } | { readonly why: string }

const AZURE = { why: 'changes a cluster or an app in Azure, which nothing emulates' }
const KUBECTL = 'local/kubernetes/kubectl.test.ts'
const CHARTS = 'test/charts/install.test.ts'

/** Each command of the pages on migration and upgrade. */
export const ORDER_COMMANDS: { readonly [command: string]: Proof } = {
  'kubectl get nodepools,aksnodeclasses,nodeclaims -o yaml': {
    suite: KUBECTL,
    evidence: 'get nodepools,aksnodeclasses,nodeclaims -o yaml',
  },
  'npx joiner convert -f old.yaml > new.yaml': { suite: KUBECTL, evidence: "['cli/main.ts', 'convert', '-f', '-']" },
  'kubectl apply -f new.yaml': { suite: KUBECTL, evidence: "run('apply -f -', converted)" },
  'npx joiner convert -f FILE': { suite: 'cli/convertCommand.test.ts', evidence: "run(['-f', '-'], POOL)" },
  'kubectl scale deployment karpenter --namespace kube-system --replicas 0': {
    suite: KUBECTL,
    evidence: "run('scale deployment web --replicas 5')",
  },
  'helm install joiner-crd charts/joiner-crd --namespace joiner --create-namespace --take-ownership': {
    suite: CHARTS,
    evidence: "['install', 'joiner-crd', CRD_CHART, '--take-ownership']",
  },
  'helm uninstall karpenter --namespace kube-system': { why: "uninstalls Karpenter's own chart, which is not part of this repository" },
  'kubectl delete secrets --namespace kube-system -l owner=helm,name=karpenter-crd': { why: "removes what Karpenter's own chart left" },
  'az aks update --resource-group GROUP --name NAME --node-provisioning-mode Manual': AZURE,
  'az aks nodepool update --resource-group GROUP --cluster-name NAME --name POOL --disable-cluster-autoscaler': AZURE,
  'kubectl drain NODE --ignore-daemonsets --delete-emptydir-data': { suite: KUBECTL, evidence: 'drain n1' },
  'npm run preflight -- --cluster RESOURCE_ID': { suite: 'test/azure/preflight.test.ts', evidence: 'cli/main.ts' },
  'azd up': { suite: '.ci/run', evidence: 'stage rehearse npm run rehearse' },
  'azd provision': { suite: '.ci/run', evidence: 'stage rehearse npm run rehearse' },
  'npm run build': { suite: 'scripts/build.test.ts', evidence: 'await build(root, [app])' },
  'helm upgrade joiner-crd charts/joiner-crd --namespace joiner': { suite: CHARTS, evidence: "['upgrade', 'joiner-crd', CRD_CHART]" },
  'helm upgrade joiner charts/joiner --namespace joiner --reset-then-reuse-values': {
    suite: CHARTS,
    evidence: "['upgrade', 'joiner', CHART, '--reset-then-reuse-values']",
  },
  'helm rollback joiner --namespace joiner': { suite: CHARTS, evidence: "['rollback', 'joiner', '1']" },
  'az functionapp deployment source config-zip --resource-group GROUP --name NAME --src PACKAGE': {
    why: 'uploads to Azure; the rehearsal starts the same package in an empty folder',
  },
  'kubectl get aksnodeclasses -o custom-columns=NAME:.metadata.name,VERSION:.status.kubernetesVersion': {
    suite: KUBECTL,
    evidence: 'VERSION:.status.kubernetesVersion',
  },
  'kubectl get nodeclaims -o custom-columns=NAME:.metadata.name,DRIFT:\'.status.conditions[?(@.type=="Drifted")].reason\'': {
    suite: KUBECTL,
    evidence: '.status.conditions[?(@.type=="Drifted")].reason',
  },
  'az aks upgrade --control-plane-only': AZURE,
  'az aks update --resource-group GROUP --name NAME --assign-kubelet-identity RESOURCE_ID': AZURE,
}
