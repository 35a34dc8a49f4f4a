//! The state that an application is to reach: its definition with its components by number.
//!
//! *Knows*: images, replicas, balancers and times that the definition gives. *Must not know*: what runs, what has happened.

use crate::definition::Definition;
use crate::instances::ComponentId;
use crate::plan::{ChainId, Plan};
use crate::plugins::WARM_UP_MS;
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use std::sync::Arc;

/// A definition with its components by number. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Blueprint {
    pub(crate) definition: Arc<Definition>,
    /// Names of components; ids are places in it.
    components: Arc<Components>,
}

/// Components by name and by chain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Components {
    names: Vec<Text>,
    ids: SortedMap<Text, ComponentId>,
    /// The component of each chain.
    chains: Vec<Option<ComponentId>>,
}

impl Components {
    /// These names and those that are new, in order; ids stay.
    fn with(&self, more: &[Text], plan: &Plan) -> Self {
        let mut all = Self { names: self.names.clone(), ids: self.ids.clone(), chains: Vec::new() };
        let named = plan.chains().filter_map(|(_, chain)| chain.component.as_ref());
        for name in more.iter().chain(named) {
            if !all.ids.contains_key(name) {
                all.ids.insert(name.clone(), ComponentId::at(all.names.len()));
                all.names.push(name.clone());
            }
        }
        let of = |name: &Text| all.ids.get(name).copied();
        all.chains = plan.chains().map(|(_, chain)| chain.component.as_ref().and_then(of)).collect();
        all
    }
}

impl Blueprint {
    /// A definition on its own.
    pub(crate) fn new(definition: Arc<Definition>) -> Self {
        Self { definition, components: Arc::default() }.for_plan(&Plan::empty())
    }

    /// Another definition; components keep their numbers.
    pub(crate) fn redefined(&self, definition: Arc<Definition>) -> Self {
        Self { definition, components: self.components.clone() }.for_plan(&Plan::empty())
    }

    /// The same with the chains of a plan.
    pub(crate) fn for_plan(&self, plan: &Plan) -> Self {
        let components = self.components.with(&self.definition.components, plan);
        Self { definition: self.definition.clone(), components: Arc::new(components) }
    }

    /// The application's name.
    pub(crate) fn name(&self) -> &Text {
        &self.definition.name
    }

    /// The component that a chain works on.
    pub(crate) fn component_of(&self, chain: ChainId) -> Option<ComponentId> {
        self.components.chains.get(chain.index()).copied().flatten()
    }

    /// All components, in the order of their numbers.
    pub(crate) fn components(&self) -> impl ExactSizeIterator<Item = ComponentId> + use<> {
        (0..self.components.names.len()).map(ComponentId::at)
    }

    /// A component's name.
    pub(crate) fn component_name(&self, component: ComponentId) -> &str {
        self.components.names.get(component.index()).map_or("", |name| name)
    }

    /// The component of a name.
    pub(crate) fn component_id(&self, name: &str) -> Option<ComponentId> {
        self.components.ids.get(name).copied()
    }

    /// Returns the number of instances that the model requests for a component.
    pub(crate) fn replicas(&self, component: ComponentId) -> u64 {
        let model = self.definition.model.as_deref();
        let own = model.and_then(|model| model.component(self.component_name(component)));
        own.map_or(0, |own| own.replicas)
    }

    /// The image of a component in the model.
    pub(crate) fn target_image(&self, component: ComponentId) -> Option<Text> {
        let model = self.definition.model.as_deref()?;
        model.component(self.component_name(component))?.image.clone()
    }

    /// The image that makes an instance a new one.
    pub(crate) fn new_image(&self, component: ComponentId) -> Option<Text> {
        let options = self.definition.options;
        if options.teardown || options.replace_all {
            return None;
        }
        // Components to remove completely count as old.
        self.target_image(component).filter(|_| self.replicas(component) > 0)
    }

    /// Returns whether the model has a component.
    pub(crate) fn is_in_model(&self, component: ComponentId) -> bool {
        let model = self.definition.model.as_deref();
        model.is_some_and(|model| model.component(self.component_name(component)).is_some())
    }

    /// Returns whether the registry has an image.
    pub(crate) fn image_exists(&self, image: &str) -> bool {
        let registry = self.definition.env.simulation.registry.as_ref();
        registry.is_none_or(|images| images.iter().any(|own| &**own == image))
    }

    /// Returns whether there is a balancer of this name.
    pub(crate) fn balancer_exists(&self, name: &str) -> bool {
        let env = &self.definition.env;
        if let Some(balancers) = &env.simulation.balancers {
            return balancers.iter().any(|own| &**own == name);
        }
        let gateway = self
            .definition
            .model
            .as_deref()
            .is_some_and(|model| model.gateways.iter().any(|gateway| &*gateway.name == name));
        gateway || env.configured_balancers.iter().any(|own| &**own == name)
    }

    /// Balancers that an instance of a component is behind unless something else is said.
    pub(crate) fn usual_balancers(&self, component: &str) -> Vec<Text> {
        let env = &self.definition.env;
        match &self.definition.model {
            Some(model) if env.balancer_plugin.is_some() => model.balancers(component).cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// From running to ready. *Units*: milliseconds.
    pub(crate) fn warm_up_ms(&self) -> u64 {
        self.definition.env.simulation.warm_up_ms.unwrap_or(WARM_UP_MS)
    }
}
