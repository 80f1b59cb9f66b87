package main

import (
	"bytes"
	"os/exec"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// bill returns the bill of materials of an archive, in CycloneDX's JSON. It has no serial
// number, which would differ each time.
func (o options) bill(system string, c contents) ([]byte, error) {
	root := o.name(system)
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: o.date.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: root, Type: cyclonedx.ComponentTypeApplication, Name: "golem", Version: o.version,
			Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "MIT"}}},
		},
		Properties: &[]cyclonedx.Property{{Name: "golem:system", Value: system}, {Name: "golem:commit", Value: o.commit}},
	}
	for _, t := range []struct{ name, program string }{{"node", "node"}, {"libdeflate", "libdeflate-gzip"}, {"zstd", "zstd"}} {
		*bom.Metadata.Properties = append(*bom.Metadata.Properties, cyclonedx.Property{Name: "golem:built-with-" + t.name, Value: versionOf(t.program)})
	}
	all, links := []cyclonedx.Component{}, []cyclonedx.Dependency{{Ref: root, Dependencies: &c.programs}}
	for _, name := range c.programs {
		needs := c.of[name]
		all = append(all, cyclonedx.Component{BOMRef: name, Type: cyclonedx.ComponentTypeApplication, Name: name, Version: o.version})
		links = append(links, cyclonedx.Dependency{Ref: name, Dependencies: &needs})
	}
	for _, p := range c.components {
		all = append(all, p.billed())
		links = append(links, cyclonedx.Dependency{Ref: p.url()})
	}
	bom.Components, bom.Dependencies = &all, &links
	var b bytes.Buffer
	err := cyclonedx.NewBOMEncoder(&b, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(bom, cyclonedx.SpecVersion1_6)
	return b.Bytes(), err
}

func (c component) billed() cyclonedx.Component {
	licenses := cyclonedx.Licenses{}
	for _, id := range c.spdx() {
		l := &cyclonedx.License{ID: id}
		if strings.Contains(id, " ") || id == "GooglePatentsFile" { // SPDX has no identifier for it
			l = &cyclonedx.License{Name: id}
		}
		licenses = append(licenses, cyclonedx.LicenseChoice{License: l})
	}
	out := cyclonedx.Component{BOMRef: c.url(), Type: cyclonedx.ComponentTypeLibrary, Name: c.name, Version: c.version, PackageURL: c.url(), Licenses: &licenses}
	if c.digest != "" {
		out.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: c.digest}}
	}
	return out
}

// versionOf returns the first line that a program says about its version, or "none".
func versionOf(name string) string {
	flag := "--version"
	if name == "libdeflate-gzip" {
		flag = "-V"
	}
	out, err := exec.Command(name, flag).CombinedOutput()
	if err != nil {
		return "none"
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return strings.Trim(first, "* ")
}
