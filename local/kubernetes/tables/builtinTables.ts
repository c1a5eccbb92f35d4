import { nameOf } from '../object/kubeObject.ts'
import { objectAge } from './age.ts'
import * as cluster from './clusterTables.ts'
import { nodeTable } from './nodeTable.ts'
import { podTable } from './podTable.ts'
import { column, type TableLayout } from './tableLayout.ts'
import * as workloads from './workloadTables.ts'

/** The columns of a resource without columns of its own. */
export const nameAndAge: TableLayout = {
  columns: [column('Name'), column('Age')],
  row: (object, now) => [nameOf(object), objectAge(object, now)],
}

/** By the store's name of the resource. Resources that are not listed show name and age. */
export const BUILTIN_TABLES: { readonly [resource: string]: TableLayout } = {
  namespaces: cluster.namespaceTable,
  nodes: nodeTable,
  pods: podTable,
  services: cluster.serviceTable,
  configmaps: cluster.configMapTable,
  secrets: cluster.secretTable,
  serviceaccounts: cluster.serviceAccountTable,
  events: cluster.eventTable,
  persistentvolumes: cluster.volumeTable,
  persistentvolumeclaims: cluster.volumeClaimTable,
  podtemplates: workloads.podTemplateTable,
  'deployments.apps': workloads.deploymentTable,
  replicationcontrollers: workloads.replicationControllerTable,
  'replicasets.apps': workloads.replicaSetTable,
  'daemonsets.apps': workloads.daemonSetTable,
  'statefulsets.apps': workloads.statefulSetTable,
  'jobs.batch': workloads.jobTable,
  'poddisruptionbudgets.policy': workloads.disruptionBudgetTable,
  'leases.coordination.k8s.io': cluster.leaseTable,
  'storageclasses.storage.k8s.io': cluster.storageClassTable,
  'csinodes.storage.k8s.io': cluster.csiNodeTable,
  'volumeattachments.storage.k8s.io': cluster.attachmentTable,
  'priorityclasses.scheduling.k8s.io': cluster.priorityClassTable,
  'certificatesigningrequests.certificates.k8s.io': cluster.signingRequestTable,
  'customresourcedefinitions.apiextensions.k8s.io': cluster.definitionTable,
  'roles.rbac.authorization.k8s.io': cluster.roleTable,
  'clusterroles.rbac.authorization.k8s.io': cluster.roleTable,
  'rolebindings.rbac.authorization.k8s.io': cluster.bindingTable,
  'clusterrolebindings.rbac.authorization.k8s.io': cluster.bindingTable,
}
