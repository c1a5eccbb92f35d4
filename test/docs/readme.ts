import { commandsOf, read } from './pages.ts'

/** The test of a README command: a suite with the text that proves it, or `test/e2e/readme.test.ts` itself. */
export type RunBy = { readonly suite: string; readonly evidence: string } | 'readme.test.ts'

const CI = '.ci/run'

/** Each command of the README, and the test that runs it. */
export const README_COMMANDS: { readonly [command: string]: RunBy } = {
  'npm ci': { suite: CI, evidence: 'stage install npm ci' },
  'npm start': 'readme.test.ts',
  'kubectl scale deployment inflate --replicas 20': 'readme.test.ts',
  'kubectl delete node ...': 'readme.test.ts',
  'kubectl get nodeclaims,nodepools,nodes,pods': 'readme.test.ts',
  'npm run explain -- pods/default/NAME': 'readme.test.ts',
  'npm start -- --once --speed 20': { suite: 'test/story/npmStart.test.ts', evidence: "['start', '--', '--once', '--speed', '20']" },
  'npm run controlplane': { suite: 'test/e2e/start.test.ts', evidence: "startProgram('local/controlplane/main.ts'" },
  'npm start -- --kubeconfig .local/controlplane/kubeconfig': {
    suite: 'test/e2e/start.test.ts',
    evidence: "start('--once', '--kubeconfig'",
  },
  'npm test': { suite: CI, evidence: 'npm test -- ' },
  'npm run test:all': { suite: CI, evidence: 'npm run test:systems' },
  'npm run check': { suite: CI, evidence: 'stage check npm run check' },
  'npm run bench': { suite: CI, evidence: 'npm run bench -- --only bundles' },
  'bench:parts': { suite: CI, evidence: 'npm run bench:parts -- ' },
  'bench:shim': { suite: CI, evidence: 'npm run bench:shim -- ' },
  'bench:system': { suite: CI, evidence: 'npm run bench:system -- ' },
  'helm install joiner-crd charts/joiner-crd': { suite: 'test/charts/install.test.ts', evidence: "['install', 'joiner-crd', CRD_CHART]" },
  'helm install joiner charts/joiner --namespace joiner --create-namespace --values my.yaml': {
    suite: 'test/charts/install.test.ts',
    evidence: "['install', 'joiner', CHART]",
  },
  'npm run cost -- --summary': 'readme.test.ts',
  'npm run cost': 'readme.test.ts',
}

/** Commands that the README has in several forms, and the suite that runs all forms. */
export const FAMILIES: readonly { readonly pattern: RegExp; readonly suite: string; readonly evidence: string }[] = [
  { pattern: /^azd (auth|env|up|provision|deploy|down)\b/, suite: CI, evidence: 'stage rehearse npm run rehearse' },
  { pattern: /^(npx joiner|npm run) preflight\b/, suite: 'test/azure/preflight.test.ts', evidence: 'cli/main.ts' },
  {
    pattern: /^kubectl apply -f examples\/quickstart$/,
    suite: 'local/kubernetes/kubectl.test.ts',
    evidence:
      "for (const verb of ['create', 'apply', 'apply --server-side']) {\n        expect((await run(`${verb} -f examples/quickstart`)).code).toBe(0)",
  },
]

/** The commands of the README, and the scripts that it names without npm. */
export function readmeCommands(): readonly string[] {
  // Commands for missing features cannot be run.
  const readme = read('README.md').replace(/^## What is not there yet\n[\s\S]*?(?=^## |^Nothing has run|^Apache)/m, '')
  const { scripts } = JSON.parse(read('package.json'))
  const named = [...readme.matchAll(/`([a-z]+:[a-z]+)`/g)].map(([, name = '']) => name).filter((name) => name in scripts)
  const summary = [...readme.matchAll(/^<!-- (npm .+) -->$/gm)].map(([, command = '']) => command)
  return [...new Set([...commandsOf(readme), ...named, ...summary])]
}
