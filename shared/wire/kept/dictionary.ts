/**
 * What most posts have in common: the shim packs a post with this text as the preset dictionary of zlib, so that a post of one pod is small too. What is
 * most common comes last. Never change the text: a shim with another text would be refused. A new text needs a new form of the post.
 */
export const POST_DICTIONARY = [
  '{"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":{"app":"',
  '"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"',
  '"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"podAffinityTerm":{"topologyKey":"',
  '"volumes":[{"persistentVolumeClaim":{"claimName":"data-"}}],"priority":2000001000,"priorityClassName":"system-node-critical",',
  '"initContainers":[{"name":"init","hostNetwork":true,"ports":[{"containerPort":8080,"hostPort":',
  '"kind":"node","object":{"metadata":{"labels":{"kubernetes.azure.com/","karpenter.sh/nodepool":"default","karpenter.sh/capacity-type":"',
  '"node.kubernetes.io/instance-type":"Standard_D4s_v5","topology.kubernetes.io/zone":"-1"},"generation":1,"finalizers":["',
  '"providerID":"azure:///subscriptions/","capacity":{"cpu":"4","ephemeral-storage":"","memory":"Ki","pods":"110"},"allocatable":{',
  '"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","message":"","lastTransitionTime":"20","observedGeneration":1}',
  '"kind":"replicaSet","object":{"metadata":{"name":"","uid":"","namespace":"default"},"spec":{"replicas":1,"selector":{"matchLabels":{',
  '"template":{"metadata":{"labels":{"limits":{"cpu":"1","memory":"512Mi"}}},',
  '"op":"delete","kind":"pod","key":"default/","reason":"Unschedulable","phase":"Pending","apiVersion":"batch/v1","kind":"Job",',
  '"deletionTimestamp":"2026-","kind":"DaemonSet","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",',
  '{"v":2,"cluster":"","term":17,"sentAt":17,"kept":1,"body":{"kind":"changes","changes":[',
  '{"seq":1,"at":17,"op":"put","kind":"pod","object":{"metadata":{"name":"-","labels":{"app.kubernetes.io/instance":"","app.kubernetes.io/name":"",',
  '"app":"","pod-template-hash":""},"annotations":{},"creationTimestamp":"2026-',
  '","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"","uid":"","controller":true}],"namespace":"default","uid":"-4"',
  '},"spec":{"nodeName":"aks-nodepool1-vmss000000","containers":[{"name":"","resources":{"requests":{"cpu":"100m","memory":"128Mi"}}}],',
  '"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},',
  '{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],',
  '"terminationGracePeriodSeconds":30},"status":{"phase":"Running","conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-',
].join('')
