// Renders a chart with the libraries that Helm renders with: text/template, Sprig and sigs.k8s.io/yaml.
//
//	helm-template RELEASE CHART < VALUES
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := render(os.Args[1], os.Args[2], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(release, chart string, overrides io.Reader, output io.Writer) error {
	values, err := readYAML(filepath.Join(chart, "values.yaml"))
	if err != nil {
		return err
	}
	given, err := io.ReadAll(overrides)
	if err != nil {
		return err
	}
	over := map[string]interface{}{}
	if err := yaml.Unmarshal(given, &over); err != nil {
		return err
	}
	merge(values, over)
	metadata, err := readYAML(filepath.Join(chart, "Chart.yaml"))
	if err != nil {
		return err
	}
	data := map[string]interface{}{
		"Values":  values,
		"Chart":   map[string]interface{}{"Name": metadata["name"], "Version": metadata["version"], "AppVersion": metadata["appVersion"]},
		"Release": map[string]interface{}{"Name": release, "Namespace": "mail", "Service": "Helm"},
	}
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil {
		return err
	}
	templates := template.New("chart").Option("missingkey=zero")
	templates.Funcs(sprig.TxtFuncMap()).Funcs(helmFunctions(templates))
	if _, err := templates.ParseFiles(files...); err != nil {
		return err
	}
	for _, file := range files {
		if !strings.HasSuffix(file, ".yaml") && !strings.HasSuffix(file, "NOTES.txt") {
			continue
		}
		rendered := new(bytes.Buffer)
		if err := templates.ExecuteTemplate(rendered, filepath.Base(file), data); err != nil {
			return err
		}
		if strings.HasSuffix(file, ".yaml") {
			fmt.Fprintf(output, "---\n%s\n", strings.ReplaceAll(rendered.String(), "<no value>", ""))
		}
	}
	return nil
}

func helmFunctions(templates *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, data interface{}) (string, error) {
			rendered := new(bytes.Buffer)
			err := templates.ExecuteTemplate(rendered, name, data)
			return rendered.String(), err
		},
		"toYaml": func(value interface{}) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"required": func(warning string, value interface{}) (interface{}, error) {
			if value == nil || value == "" {
				return value, fmt.Errorf("%s", warning)
			}
			return value, nil
		},
	}
}

func readYAML(file string) (map[string]interface{}, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	content := map[string]interface{}{}
	return content, yaml.Unmarshal(text, &content)
}

func merge(into, from map[string]interface{}) {
	for key, value := range from {
		inner, isMap := value.(map[string]interface{})
		existing, existed := into[key].(map[string]interface{})
		if isMap && existed {
			merge(existing, inner)
		} else {
			into[key] = value
		}
	}
}
