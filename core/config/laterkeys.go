package config

// LaterWorkerKeys are keys of a worker file that SPEC names and this version does not have yet,
// with what there is in their place. Such a key is refused as one of a later version: for an
// unknown key, golem would name the known one with the nearest letters.
var LaterWorkerKeys = map[string]string{}
