package kubeconfig_test

import (
	"fmt"

	"example.com/rawwatch/kubeconfig"
)

// A program that runs on a desk and in a pod alike: files come first, then the
// service account.
func ExampleLoad() {
	config, err := kubeconfig.Load(kubeconfig.Options{Context: "staging"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, warning := range config.Warnings {
		fmt.Println("warning:", warning)
	}
	resp, err := config.Client.Get(config.Server.JoinPath("version").String())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(config.User, "by", config.Credentials, "gets", resp.Status)
}
